import { z } from "@hono/zod-openapi";
import type { createRouter } from "../platform/http.ts";
import { COMMON_HEADERS, jsonResponse, responsesOf } from "../platform/openapi.ts";

type Registry = ReturnType<typeof createRouter>["openAPIRegistry"];

const text = { type: "string" as const };
const whole = { type: "integer" as const };
const PROTOCOL = "https://tus.io/protocols/resumable-upload";

const versionHeader = z.literal("1.0.0").openapi({
  param: { name: "Tus-Resumable", in: "header", description: "The version of the tus protocol." },
});

const PROGRESS_HEADERS = {
  "Tus-Resumable": { description: "The version of the tus protocol: `1.0.0`.", schema: text },
  "Upload-Offset": { description: "How many bytes of the file have arrived.", schema: whole },
  "X-Request-Id": { description: "Identifies the request.", schema: text },
  "Upload-Expires": {
    description: "When everything of the upload is deleted, as an HTTP date.",
    schema: text,
  },
};

const createdSchema = z
  .strictObject({
    upload_id: z.string().openapi({
      description:
        "Names the file in `upload_id` once all of it has arrived. It is a secret: it is part of the address.",
      example: "upl_Vb3vYcZ0m5gT8sVb3vYcZ0m5gT8sVb3vYcZ0m5gT8s0",
    }),
    upload_url: z.url().openapi({ description: "Where the bytes go. No API key is needed there." }),
    expires_at: z.iso.datetime().openapi({ description: "When everything of the upload is deleted." }),
  })
  .openapi("ResumableUpload");

/** Tells the OpenAPI document how an upload is begun. */
export function describeCreation(registry: Registry): void {
  registry.registerPath({
    method: "post",
    path: "/uploads",
    operationId: "createUpload",
    tags: ["extension"],
    summary: "Begin a resumable upload",
    description: [
      `For large files and connections that break: begins an upload after the tus protocol, version 1.0.0 (${PROTOCOL}), with its extensions creation, creation-with-upload, termination, expiration and checksum (SHA-256, SHA-1). Clients such as tus-js-client, Uppy and tuspy work as they are.`,
      "`Location` is an address that nobody can guess and that needs no API key, so that a browser or a phone can send the file without holding one. Once all bytes have arrived, `POST /media/redact` takes `upload_id` in the place of `file`. After 24 hours, unless the operator configured otherwise, everything of an unused upload is deleted.",
      "Faults of the protocol have the statuses that it gives them: 400 for a header that is wrong, 409 for another offset, 410 when the time is over, 412 for another version, 413 for too many bytes, 415 for another Content-Type, 423 while another request uses the upload, 460 for another checksum.",
      "What the file is, is decided by its first bytes as soon as they have come: of a type that is not supported, or of a picture larger than pictures may be, they are answered by 422 on `file`, and nothing of the upload is kept. An account may have so many uploads under way, and so much: past that it is 409 with the reason `too_many_uploads` or `too_many_upload_bytes`.",
    ].join("\n\n"),
    request: {
      headers: z.object({
        "Tus-Resumable": versionHeader,
        "Upload-Length": z
          .int()
          .min(1)
          .openapi({
            param: {
              name: "Upload-Length",
              in: "header",
              description: "Size of the file in bytes: at most 5 GB for videos and 100 MB for images.",
            },
          }),
        "Upload-Metadata": z
          .string()
          .optional()
          .openapi({
            param: {
              name: "Upload-Metadata",
              in: "header",
              description: "Pairs of a key and its value in Base64; `filename` names the file.",
              example: "filename c3RyZWV0LmpwZw==",
            },
          }),
      }),
    },
    responses: {
      201: {
        ...jsonResponse(createdSchema, "The upload is begun."),
        headers: {
          ...COMMON_HEADERS,
          ...PROGRESS_HEADERS,
          Location: { description: "Where the bytes go.", schema: text },
        },
      },
      ...responsesOf(401, 409, 412, 422, 429, 500),
    },
  });
}

/** Tells the OpenAPI document of the address of an upload. */
export function describeUploads(registry: Registry): void {
  const params = z.object({
    uploadId: z.string().openapi({
      param: { name: "uploadId", in: "path", description: "The upload's secret id." },
      example: "upl_Vb3vYcZ0m5gT8sVb3vYcZ0m5gT8sVb3vYcZ0m5gT8s0",
    }),
  });
  const common = { path: "/uploads/{uploadId}", tags: ["extension"], security: [] };
  registry.registerPath({
    ...common,
    method: "head",
    operationId: "getUploadOffset",
    summary: "Ask how far a resumable upload is",
    description: "Tells where the bytes go on, after a connection has broken or a program was started anew.",
    request: { params, headers: z.object({ "Tus-Resumable": versionHeader }) },
    responses: {
      200: {
        description: "How many bytes have arrived.",
        headers: {
          ...PROGRESS_HEADERS,
          "Upload-Length": { description: "Size of the file in bytes.", schema: whole },
        },
      },
      ...responsesOf(404, 412, 500),
    },
  });
  registry.registerPath({
    ...common,
    method: "patch",
    operationId: "sendUploadBytes",
    summary: "Send bytes of a resumable upload",
    description:
      "Sends any number of bytes from the offset on. Bytes that came before a connection broke are kept, unless `Upload-Checksum` promised a checksum: then all of a request's bytes are kept, or none. 422 says that the file is not taken, as soon as its first bytes tell, and ends the upload.",
    request: {
      params,
      headers: z.object({
        "Tus-Resumable": versionHeader,
        "Upload-Offset": z
          .int()
          .min(0)
          .openapi({
            param: { name: "Upload-Offset", in: "header", description: "Where these bytes begin." },
          }),
        "Upload-Checksum": z
          .string()
          .optional()
          .openapi({
            param: {
              name: "Upload-Checksum",
              in: "header",
              description: "`sha256` or `sha1` and that checksum of these bytes in Base64.",
            },
          }),
      }),
      body: {
        required: true,
        content: {
          "application/offset+octet-stream": {
            schema: z.string().openapi({ type: "string", format: "binary" }),
          },
        },
      },
    },
    responses: {
      204: { description: "The bytes are stored.", headers: PROGRESS_HEADERS },
      ...responsesOf(404, 409, 412, 422, 500),
    },
  });
  registry.registerPath({
    ...common,
    method: "delete",
    operationId: "deleteUpload",
    summary: "Delete a resumable upload",
    description:
      "Ends the upload and deletes what has arrived. 423 while another request writes it or makes a media item of it.",
    request: { params, headers: z.object({ "Tus-Resumable": versionHeader }) },
    responses: {
      204: {
        description: "The upload is deleted.",
        headers: {
          "Tus-Resumable": PROGRESS_HEADERS["Tus-Resumable"],
          "X-Request-Id": PROGRESS_HEADERS["X-Request-Id"],
        },
      },
      ...responsesOf(404, 412, 500),
    },
  });
}
