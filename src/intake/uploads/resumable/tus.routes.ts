import type { Context } from "hono";
import { callerOf } from "../../../records/accounts/caller.ts";
import { refuseIfFull } from "../../limits/queue-room.ts";
import { isoDateTime } from "../../../ground/platform/clock.ts";
import {
  API_BASE_PATH,
  createRouter,
  noteInLog,
  originOf,
  type HttpEnv,
  type HttpMiddleware,
} from "../../../ground/platform/http.ts";
import type { ResumableUpload } from "../../../records/uploads/resumable-upload.repository.ts";
import {
  TUS_CHECKSUMS,
  TUS_EXTENSIONS,
  TUS_VERSION,
  byteCountOf,
  checkContentType,
  checkOffered,
  checksumOf,
  checkVersion,
  hasFileBytes,
  metadataOf,
} from "./tus-headers.ts";
import { TusError } from "./tus.errors.ts";
import { describeCreation, describeUploads } from "./tus.openapi.ts";
import { createUpload, deliver, findUpload, maxLengthBytes, terminate } from "./tus.service.ts";

type TusContext = Context<HttpEnv>;

/** Adds the supported protocol to responses to OPTIONS. Mounted before the handler of browser preflights, so that they get it too. */
export const tusDiscoveryRoutes = createRouter();
/** The tus 1.0.0 routes that need no API key, because an upload's URL is its secret. */
export const tusRoutes = createRouter();
/** The route that needs an API key: the creation of an upload. */
export const tusCreationRoutes = createRouter();

/** Sets the header that the protocol requires on every response, including errors. */
const speakTus: HttpMiddleware = async function speakTus(c, next) {
  c.header("Tus-Resumable", TUS_VERSION);
  await next();
};

tusRoutes.use("/uploads/*", speakTus);
tusCreationRoutes.use("/uploads", speakTus);
describeUploads(tusRoutes.openAPIRegistry);
describeCreation(tusCreationRoutes.openAPIRegistry);

const tellOfTus: HttpMiddleware = async function tellOfTus(c, next) {
  if (c.req.method === "OPTIONS") {
    c.header("Tus-Resumable", TUS_VERSION);
    c.header("Tus-Version", TUS_VERSION);
    c.header("Tus-Extension", TUS_EXTENSIONS);
    c.header("Tus-Checksum-Algorithm", TUS_CHECKSUMS);
    c.header("Tus-Max-Size", String(maxLengthBytes(c.get("config"))));
  }
  await next();
};

for (const path of ["/uploads", "/uploads/:uploadId"]) {
  tusDiscoveryRoutes.use(path, tellOfTus);
  tusRoutes.options(path, (c) => c.body(null, 204));
}

const METHODS: Readonly<Record<string, (c: TusContext, upload: ResumableUpload) => Promise<Response>>> = {
  HEAD: async (c, upload) => {
    showProgress(c, upload);
    c.header("Upload-Length", String(upload.lengthBytes));
    if (upload.metadata !== "") c.header("Upload-Metadata", upload.metadata);
    c.header("Cache-Control", "no-store");
    return c.body(null, 200);
  },
  PATCH: async (c, upload) => {
    checkContentType((name) => c.req.header(name));
    showProgress(
      c,
      await receive(
        c,
        upload,
        byteCountOf((name) => c.req.header(name), "Upload-Offset"),
      ),
    );
    return c.body(null, 204);
  },
  DELETE: async (c, upload) => {
    await terminate(c.get("config"), upload);
    return c.body(null, 204);
  },
};

tusRoutes.all("/uploads/:uploadId", async (c, next) => {
  // For clients behind proxies that allow few methods.
  const override = c.req.method === "POST" ? c.req.header("X-HTTP-Method-Override") : undefined;
  const answer = METHODS[(override ?? c.req.method).toUpperCase()];
  if (answer === undefined) return await next();
  return await tell(c, async () => {
    checkVersion((name) => c.req.header(name));
    const { upload, config } = await findUpload(c.get("config"), c.req.param("uploadId"));
    c.set("config", config);
    noteInLog(c, { accountId: upload.accountId, mediaId: upload.mediaId });
    return await answer(c, upload);
  });
});

tusCreationRoutes.post("/uploads", async (c) => {
  const header = (name: string): string | undefined => c.req.header(name);
  return await tell(c, async () => {
    checkVersion(header);
    checkOffered(header);
    // The redaction of a file that has arrived would be refused, so its bytes are refused before they are sent.
    await refuseIfFull(c.get("config"), callerOf(c).accountId);
    const { uploadId, upload } = await createUpload(c.get("config"), {
      accountId: callerOf(c).accountId,
      lengthBytes: byteCountOf(header, "Upload-Length"),
      metadata: metadataOf(header),
    });
    noteInLog(c, { mediaId: upload.mediaId, sizeBytes: upload.lengthBytes });
    const url = `${originOf(c)}${API_BASE_PATH}/uploads/${uploadId}`;
    c.header("Location", url);
    showProgress(c, hasFileBytes(header) ? await receive(c, upload, 0) : upload);
    return c.json({ upload_id: uploadId, upload_url: url, expires_at: isoDateTime(upload.expiresAt) }, 201);
  });
});

/** Receives the bytes of a request. They are stored even if the client disconnects. */
async function receive(
  c: TusContext,
  upload: ResumableUpload,
  offsetBytes: number,
): Promise<ResumableUpload> {
  const work = deliver(c.get("config"), upload, {
    offsetBytes,
    body: c.req.raw.body,
    checksum: checksumOf((name) => c.req.header(name)),
  });
  c.executionCtx.waitUntil(work.catch(() => undefined));
  const after = await work;
  noteInLog(c, { receivedBytes: after.offsetBytes - offsetBytes });
  return after;
}

function showProgress(c: TusContext, { offsetBytes, expiresAt }: ResumableUpload): void {
  c.header("Upload-Offset", String(offsetBytes));
  c.header("Upload-Expires", new Date(expiresAt).toUTCString());
}

/** Runs a handler and reports protocol errors with the protocol's own statuses. */
async function tell(c: TusContext, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof TusError)) throw error;
    const { status, code, message, details } = error;
    noteInLog(c, { errorCode: code });
    if (status === 412) c.header("Tus-Version", TUS_VERSION);
    const requestId = c.get("requestId");
    c.header("Content-Type", "application/json");
    // 460 is a status of the protocol, so the framework's list of statuses does not include it.
    return new Response(JSON.stringify({ error: { code, message, details }, request_id: requestId }), {
      status,
      headers: c.res.headers,
    });
  }
}
