import { Hono } from "hono";
import { z } from "zod";
import { rateLimit } from "../../../intake/limits/rate-limit.middleware.ts";
import { VeilError, fieldErrors, validationFailed } from "../../../ground/platform/errors.ts";
import { API_BASE_PATH, noteInLog } from "../../../ground/platform/http.ts";
import { TusError } from "../../../intake/uploads/resumable/tus.errors.ts";
import { createUpload, maxLengthBytes } from "../../../intake/uploads/resumable/tus.service.ts";
import { filenameFault } from "../../../intake/uploads/body/filename-fault.ts";
import { readJsonBody } from "../../../intake/uploads/body/json-body.ts";
import { readUploadOptions, readUploadProgress } from "./upload.data.ts";
import { UploadPage } from "./upload.page.tsx";
import { isBatchId } from "../request/batch-id.ts";
import { teamOf, viewerOf, type DashboardEnv } from "../request/dashboard.http.ts";

const MOST_FOLLOWED = 100;

const progressQuerySchema = z.object({
  id: z
    .array(z.uuid("`id` is not the ID of a media item."))
    .max(MOST_FOLLOWED, { error: `At most ${MOST_FOLLOWED} files can be asked for.` })
    .default([]),
});

/** The declared properties of a file, before its bytes arrive. */
function announcementSchema(maxBytes: number) {
  return z.strictObject({
    filename: z.string("`filename` is missing.").superRefine((name, context) => {
      const fault = filenameFault(name);
      if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
    }),
    size_bytes: z
      .int("`size_bytes` is not a whole number of bytes.")
      .min(1, "The file is empty.")
      .max(maxBytes, {
        error: ({ input }) => `The file has ${String(input)} bytes; the limit is ${maxBytes}.`,
      }),
  });
}

/** The upload page, and the requests that it makes during processing. */
export const uploadPageRoutes = new Hono<DashboardEnv>();

uploadPageRoutes.get("/", async (c) => {
  const options = await readUploadOptions(c.get("config"));
  const { batch = "" } = c.req.query();
  return c.html(
    <UploadPage viewer={viewerOf(c)} options={options} batchId={isBatchId(batch) ? batch : ""} />,
  );
});

uploadPageRoutes.get("/progress", async (c) => {
  const query = progressQuerySchema.safeParse(c.req.queries());
  if (!query.success) throw validationFailed(fieldErrors(query.error));
  const media = await readUploadProgress(c.get("config"), teamOf(c).accountId, query.data.id);
  return c.json({ media });
});

/**
 * Creates a resumable upload for a signed-in user, because a page has no API key. The returned address needs no key either. It has no
 * host, so that the page sends to its own host.
 */
uploadPageRoutes.post("/resumable", rateLimit(), async (c) => {
  const config = c.get("config");
  const announced = announcementSchema(maxLengthBytes(config)).safeParse(await readJsonBody(c));
  if (!announced.success) throw validationFailed(fieldErrors(announced.error));
  const { filename, size_bytes: lengthBytes } = announced.data;
  const { accountId } = teamOf(c);
  const metadata = { sent: "", values: new Map([["filename", filename]]) };
  const { uploadId, upload } = await asVeilFault(createUpload(config, { accountId, lengthBytes, metadata }));
  noteInLog(c, { mediaId: upload.mediaId, sizeBytes: upload.lengthBytes });
  return c.json({ upload_id: uploadId, upload_path: `${API_BASE_PATH}/uploads/${uploadId}` }, 201);
});

/** Converts an error of the protocol to the dashboard's form of errors. */
async function asVeilFault<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TusError)) throw error;
    const { code, message, details } = error;
    throw new VeilError({ code, message, details });
  }
}
