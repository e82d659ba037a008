import { z } from "@hono/zod-openapi";
import type { createRouter } from "../../../ground/platform/http.ts";
import { COMMON_HEADERS, errorSchema, jsonResponse, responsesOf } from "../../../ground/platform/openapi.ts";

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
    description: "When the upload is deleted, as an HTTP date.",
    schema: text,
  },
};

const TUS_FAULTS = {
  400: "A header is missing or malformed, or asks for an extension that is not offered.",
  408: "The body stopped arriving or came too slowly. The bytes that have arrived are kept.",
  410: "The upload has expired.",
  413: "The file is larger than the limit, or the body passes the end of the file.",
  415: "The `Content-Type` is not `application/offset+octet-stream`.",
  423: "Another request is using the upload.",
  460: "The bytes do not match `Upload-Checksum`. None of them was stored.",
} as const;

/** The error responses that only the tus protocol uses, by status. */
function tusResponses(...statuses: readonly (keyof typeof TUS_FAULTS)[]) {
  const content = { "application/json": { schema: errorSchema } };
  return Object.fromEntries(
    statuses.map((status) => [status, { description: TUS_FAULTS[status], headers: COMMON_HEADERS, content }]),
  );
}

const createdSchema = z
  .strictObject({
    upload_id: z.string().openapi({
      description:
        "Send it as `upload_id` once all bytes have arrived. It is a secret, because it is part of the URL.",
      example: "upl_Vb3vYcZ0m5gT8sVb3vYcZ0m5gT8sVb3vYcZ0m5gT8s0",
    }),
    upload_url: z.url().openapi({ description: "Where to send the bytes. No API key is needed there." }),
    expires_at: z.iso
      .datetime()
      .openapi({ description: "When the upload and all bytes received so far are deleted." }),
  })
  .openapi("ResumableUpload");

/** Describes the creation of an upload in the OpenAPI document. */
export function describeCreation(registry: Registry): void {
  registry.registerPath({
    method: "post",
    path: "/uploads",
    operationId: "createUpload",
    tags: ["extension"],
    summary: "Begin a resumable upload",
    description: [
      `For large files and unreliable connections: begins an upload with the tus protocol, version 1.0.0 (${PROTOCOL}), with its extensions creation, creation-with-upload, termination, expiration and checksum (SHA-256, SHA-1). Existing clients such as tus-js-client, Uppy and tuspy work.`,
      "`Location` is a URL that cannot be guessed and needs no API key, so a browser or a phone can send the file without having one. Once all bytes have arrived, send `upload_id` to `POST /media/redact` instead of `file`. An unused upload is deleted after 24 hours by default.",
      "Protocol errors have the status codes of tus: 400 for an invalid header, 409 for a wrong offset, 410 for an expired upload, 412 for another protocol version, 413 for too many bytes, 415 for a wrong Content-Type, 423 while another request uses the upload, and 460 for a checksum that does not match.",
      "The type is determined from the first bytes as soon as they arrive. If the type is not supported, or a picture is too large, the answer is 422 on `file`, and the upload is deleted. The number of an account's unfinished uploads and their total size are limited; past a limit, the answer is 409 with the reason `too_many_uploads` or `too_many_upload_bytes`.",
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
              description: "Pairs of a key and a Base64 value. The key `filename` holds the file's name.",
              example: "filename c3RyZWV0LmpwZw==",
            },
          }),
      }),
    },
    responses: {
      201: {
        ...jsonResponse(createdSchema, "The upload has begun."),
        headers: {
          ...COMMON_HEADERS,
          ...PROGRESS_HEADERS,
          Location: { description: "Where to send the bytes.", schema: text },
        },
      },
      ...responsesOf(401, 409, 412, 422, 429, 500, 503),
      ...tusResponses(400, 408, 413, 423, 460),
    },
  });
}

/** Describes the URL of an upload in the OpenAPI document. */
export function describeUploads(registry: Registry): void {
  const params = z.object({
    uploadId: z.string().openapi({
      param: { name: "uploadId", in: "path", description: "The upload's secret ID." },
      example: "upl_Vb3vYcZ0m5gT8sVb3vYcZ0m5gT8sVb3vYcZ0m5gT8s0",
    }),
  });
  const common = { path: "/uploads/{uploadId}", tags: ["extension"], security: [] };
  registry.registerPath({
    ...common,
    method: "head",
    operationId: "getUploadOffset",
    summary: "Get the offset of a resumable upload",
    description: "Tells you where to continue after a broken connection or a restart of your program.",
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
      ...tusResponses(410),
    },
  });
  registry.registerPath({
    ...common,
    method: "patch",
    operationId: "sendUploadBytes",
    summary: "Send bytes of a resumable upload",
    description:
      "Sends any number of bytes, starting at the offset. If the connection breaks, the bytes that have arrived are kept; with `Upload-Checksum`, either all bytes of a request are kept or none. If the first bytes show that the file cannot be accepted, the answer is 422 and the upload ends.",
    request: {
      params,
      headers: z.object({
        "Tus-Resumable": versionHeader,
        "Upload-Offset": z
          .int()
          .min(0)
          .openapi({
            param: {
              name: "Upload-Offset",
              in: "header",
              description: "The position in the file of the first byte sent.",
            },
          }),
        "Upload-Checksum": z
          .string()
          .optional()
          .openapi({
            param: {
              name: "Upload-Checksum",
              in: "header",
              description: "`sha256` or `sha1`, a space, and that checksum of these bytes in Base64.",
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
      ...tusResponses(400, 408, 410, 413, 415, 423, 460),
    },
  });
  registry.registerPath({
    ...common,
    method: "delete",
    operationId: "deleteUpload",
    summary: "Delete a resumable upload",
    description:
      "Ends the upload and deletes what has arrived. 423 while another request writes to it or makes a media item from it.",
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
      ...tusResponses(410, 423),
    },
  });
}
