import { createRoute } from "@hono/zod-openapi";
import { callerOf } from "../../records/accounts/caller.ts";
import { isImageFormat, type MediaFormat } from "../../ground/vocabulary/media-values.ts";
import { sendPermits, type Permit } from "../../ground/platform/permits.ts";
import { shownValue } from "../../records/media/media.schemas.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { fieldErrors } from "../../ground/platform/errors.ts";
import { createRouter, noteInLog, originOf, type HttpExchange } from "../../ground/platform/http.ts";
import { responsesOf } from "../../ground/platform/openapi.ts";
import { emptyQuerySchema } from "../../ground/platform/unknown-names.ts";
import { bodyChunks, uploadPaceOf } from "./body/body-chunks.ts";
import { boundaryOf } from "./body/multipart.ts";
import { refuseIfFull } from "../limits/queue-room.ts";
import { fileLimitsOf, fileTooLarge } from "./files/file-limits.ts";
import { isJson, readJsonBody } from "./body/json-body.ts";
import { receiveSource } from "./receive-source.ts";
import { takeResumable } from "./take-resumable.ts";
import { readUploadForm, type ReceivedForm } from "./upload-form.ts";
import { formOfJson } from "./upload-json.ts";
import type { FilelessOrder, SourceOrder, UploadOrder } from "./upload-order.ts";
import { withUpload, type Upload, type UploadAnswer } from "./upload.service.ts";
import {
  checkIdempotencyKey,
  queuedMediaResponse,
  uploadJsonSchema,
  uploadFormSchema,
  uploadHeadersSchema,
} from "./upload.schemas.ts";
import { orderWithFile, validateUpload } from "./validate-upload.ts";

/** Bytes of a body beyond those of the file. */
const FORM_OVERHEAD_BYTES = 5 * 1024 * 1024;

const redactMedia = createRoute({
  method: "post",
  path: "/media/redact",
  operationId: "redactMedia",
  tags: ["Media"],
  summary: "Upload a file to redact",
  description: [
    "Uploads a file and queues its redaction. The answer comes as soon as the file is stored.",
    "Images: JPEG (baseline and progressive), PNG, still WebP, HEIC, AVIF, still GIF, TIFF and BMP. Videos: MP4 and QuickTime (H.264, H.265), WebM (VP8, VP9), Matroska (any of these four codecs), AVI (H.264, MPEG-4 part 2, MJPEG) and animated GIF; also AV1, except in AVI, if the service's video engine decodes it. The type is determined from the content. Form parts may come in any order.\n\nDefault limits: 100 MB per file (5 GB per video in a resumable upload); 100 megapixels for JPEG, PNG, HEIC, TIFF and BMP, 16 for WebP, GIF and progressive JPEG, and 4 for AVIF (less with transparency, 10 bits or full color resolution); for videos 1920×1088 pixels in any orientation, or 3840×2160 if the service's video engine takes them, 60 frames per second and 60 minutes.\n\nThe redacted file has the same format, with these exceptions: HEIC and AVIF become JPEG; still GIF, TIFF and BMP become PNG, as do HEIC and AVIF with transparency; animated GIF becomes WebM; Matroska becomes WebM if its codecs fit, otherwise MP4; AVI becomes MP4.",
    "Extension: instead of `file`, send `source_url`, in a JSON body or a multipart form. The service fetches the file before it answers. It accepts only https URLs of public hosts and follows up to 3 redirects. If the file cannot be fetched completely and in time, the answer is 422 on `source_url`. With an `Idempotency-Key`, a retry with the same URL gets the same answer as the first time, and nothing is fetched again.",
    "Extension: instead of `file`, send the `upload_id` of a resumable upload (`POST /uploads`) whose bytes have all arrived, in a JSON body or a multipart form. Each ID can be used once.",
    "The quota is reserved at once, counted as used when the media completes, and released if it fails. If the media is deleted while the upload is still arriving, the answer is 404.",
  ].join("\n\n"),
  request: {
    headers: uploadHeadersSchema,
    query: emptyQuerySchema,
    body: {
      required: true,
      content: {
        "multipart/form-data": { schema: uploadFormSchema },
        "application/json": { schema: uploadJsonSchema },
      },
    },
  },
  responses: {
    201: queuedMediaResponse("The upload is accepted and queued."),
    ...responsesOf(401, 404, 409, 422, 429, 500, 503),
  },
});

export const uploadRoutes = createRouter();

// The handler reads the body as a stream, so the route is described here and registered without validators.
uploadRoutes.openAPIRegistry.registerPath(redactMedia);

uploadRoutes.post(redactMedia.getRoutingPath(), (c) => receiveUpload(c));

/** Receives an upload of the caller, however the caller was authenticated, and responds according to the contract. */
export async function receiveUpload(c: HttpExchange): Promise<Response> {
  const work = receive(c);
  // The cleanup must finish even if the client disconnects.
  c.executionCtx.waitUntil(work.catch(() => undefined));
  const answer = await work;
  if (answer.isReplay) c.header("Idempotency-Replayed", "true");
  c.header("Content-Type", "application/json");
  return c.body(answer.body, 201);
}

async function receive(c: HttpExchange): Promise<UploadAnswer> {
  const config = c.get("config");
  await refuseIfFull(config, callerOf(c).accountId);
  const idempotencyKey = checkIdempotencyKey(c.req.header("Idempotency-Key"));
  const keyFaults = "faults" in idempotencyKey ? idempotencyKey.faults : [];
  const options = {
    config,
    caller: callerOf(c),
    origin: originOf(c),
    requestId: c.get("requestId"),
    idempotencyKey: "value" in idempotencyKey ? idempotencyKey.value : undefined,
  };
  return await withUpload(options, async (upload) => await receiveInto(c, upload, keyFaults));
}

async function receiveInto(
  c: HttpExchange,
  upload: Upload,
  keyFaults: readonly string[],
): Promise<UploadAnswer> {
  const config = c.get("config");
  const stages = stagesOf(c);
  const form = await readForm(c, upload);
  stages.ended("receive");
  const query = emptyQuerySchema.safeParse(c.req.queries());
  const queryFaults = query.success ? {} : fieldErrors(query.error);
  const valid = await validateUpload(form, { keyFaults, queryFaults }, config);
  const replay = "file" in valid ? undefined : await upload.replayWithoutFile(valid);
  if (replay !== undefined) {
    noteInLog(c, { mediaId: null, isReplay: true });
    return replay;
  }
  const order = "file" in valid ? valid : await fileOf(c, { upload, form, order: valid });
  const { file, categories, method } = order;
  noteInLog(c, {
    format: file.format,
    sizeBytes: file.sizeBytes,
    categories: categories.length,
    redactionMethod: method,
  });
  stages.ended("validate");
  const answer = await upload.accept(order);
  stages.ended("accept");
  noteInLog(c, { mediaId: answer.isReplay ? null : upload.mediaId, isReplay: answer.isReplay });
  if (!answer.isReplay)
    await enqueue(config, file.format, { mediaId: upload.mediaId, requestId: c.get("requestId") });
  stages.ended("enqueue");
  return answer;
}

/**
 * Obtains the file of an upload without one in its request. @throws VeilError 422 if it cannot be obtained or does not fit the
 * options
 */
async function fileOf(
  c: HttpExchange,
  { upload, form, order }: { upload: Upload; form: ReceivedForm; order: FilelessOrder },
): Promise<UploadOrder> {
  if ("source" in order) return await fetchFile(c, { upload, form, order });
  const config = c.get("config");
  noteInLog(c, { isResumable: true });
  const { resumable, file } = await takeResumable(order, {
    config,
    accountId: callerOf(c).accountId,
    limits: fileLimitsOf(config),
  });
  await upload.adopt(resumable, file);
  return orderWithFile(order, file, form);
}

/** Fetches the file of an upload by URL into the upload. @throws VeilError 422 if it cannot be fetched or does not fit the options */
async function fetchFile(
  c: HttpExchange,
  { upload, form, order }: { upload: Upload; form: ReceivedForm; order: SourceOrder },
): Promise<UploadOrder> {
  const config = c.get("config");
  const startedAtMs = nowMs();
  noteInLog(c, { isByUrl: true });
  try {
    const { file, outcome } = await receiveSource(order.source, {
      config,
      sink: upload,
      limits: fileLimitsOf(config),
      onChunk: async () => {
        await upload.stayAlive();
      },
    });
    noteInLog(c, { redirects: outcome.redirects });
    return orderWithFile(order, file, form);
  } finally {
    noteInLog(c, { fetchMs: nowMs() - startedAtMs });
  }
}

/** Logs how long each stage of the upload took. */
function stagesOf(c: HttpExchange): { ended(stage: "receive" | "validate" | "accept" | "enqueue"): void } {
  let startedAtMs = nowMs();
  return {
    ended(stage) {
      const endedAtMs = nowMs();
      noteInLog(c, { [`${stage}Ms`]: endedAtMs - startedAtMs });
      startedAtMs = endedAtMs;
    },
  };
}

async function enqueue(config: ApiEnv, format: MediaFormat, permit: Permit): Promise<void> {
  const queue = isImageFormat(format) ? config.IMAGE_JOBS : config.VIDEO_JOBS;
  await sendPermits(queue, [permit]);
}

async function readForm(c: HttpExchange, upload: Upload): Promise<ReceivedForm> {
  const config = c.get("config");
  if (isJson(c.req.header("Content-Type"))) return formOfJson(await readJsonBody(c));
  const boundary = boundaryOf(c.req.header("Content-Type"));
  const body: ReadableStream<Uint8Array> | null = c.req.raw.body;
  if (boundary === null || body === null) return noForm(c.req.header("Content-Type"));
  const maxBytes = config.MAX_FILE_BYTES + FORM_OVERHEAD_BYTES;
  const tooLarge = fileTooLarge(config.MAX_FILE_BYTES, "unknown");
  if (Number(c.req.header("Content-Length") ?? 0) > maxBytes) return formWithout(tooLarge, false);
  const chunks = bodyChunks(body, {
    pace: uploadPaceOf(config),
    maxBytes,
    tooLarge,
    onChunk: async () => {
      await upload.stayAlive();
    },
  });
  try {
    return await readUploadForm({ chunks, boundary }, upload, fileLimitsOf(config));
  } finally {
    await chunks.return();
  }
}

function noForm(contentType: string | undefined): ReceivedForm {
  const found = shownValue(contentType);
  return formWithout(
    `The Content-Type is ${found}; expected multipart/form-data with a boundary and a body, or application/json to name a \`source_url\` or an \`upload_id\`.`,
    true,
  );
}

function formWithout(fault: string, isComplete: boolean): ReceivedForm {
  return { fields: new Map(), file: undefined, faults: new Map([["file", [fault]]]), isComplete };
}
