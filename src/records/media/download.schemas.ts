import { z } from "@hono/zod-openapi";
import { COMMON_HEADERS } from "../../ground/platform/openapi.ts";
import { FORMAT_CONTENT_TYPES } from "../../ground/vocabulary/media-values.ts";

const EXAMPLE_TAG = '"5d41402abc4b2a76b9719d911017c592"';

function optionalHeader(description: string, example = EXAMPLE_TAG) {
  return z.string().optional().openapi({ param: { description }, example });
}

/** Headers of range and conditional requests, which `answerWithFile` reads. */
export const downloadHeadersSchema = z.object({
  Range: optionalHeader("Extension: the bytes to send, up to 16 ranges of them.", "bytes=0-1023"),
  "If-Range": optionalHeader(
    "Extension: the `ETag` or `Last-Modified` of the file that `Range` refers to. If the file has changed, the answer is the whole file.",
  ),
  "If-None-Match": optionalHeader(
    "Extension: the `ETag` of your copy. The answer is 304 if it is still current.",
  ),
  "If-Match": optionalHeader("Extension: the `ETag` that the file must have; otherwise the answer is 412."),
});

function textHeader(description: string) {
  return { description, schema: { type: "string" as const } };
}
function sizeHeader(description: string) {
  return { description, schema: { type: "integer" as const } };
}
const binary = z.string().openapi({ type: "string", format: "binary" });

const REUSE_HEADERS = {
  ...COMMON_HEADERS,
  "Accept-Ranges": textHeader("Always `bytes`."),
  "Cache-Control": textHeader("Always `private, no-store`."),
  ETag: textHeader("Changes with the content."),
  "Last-Modified": textHeader("When the file was stored."),
};

const FILE_HEADERS = {
  ...REUSE_HEADERS,
  "Content-Disposition": textHeader(
    "`attachment` with the uploaded file's name, `.redacted` and the extension of the redacted file's format.",
  ),
  "Content-Length": sizeHeader("Size of the body in bytes."),
  Link: textHeader(
    'Extension: `<…>; rel="successor-version"`, the current version, if this one has been superseded (RFC 5829).',
  ),
};

const FILE_CONTENT = Object.fromEntries(
  Object.values(FORMAT_CONTENT_TYPES).map((type) => [type, { schema: binary }]),
);

/** The successful answers of a download. */
export const downloadResponses = {
  200: { description: "The redacted file.", headers: FILE_HEADERS, content: FILE_CONTENT },
  206: {
    description: "Extension: the requested part of the file.",
    headers: {
      ...FILE_HEADERS,
      "Content-Range": textHeader(
        "The range of these bytes and the size of the file. Absent if the answer has several ranges.",
      ),
    },
    content: { ...FILE_CONTENT, "multipart/byteranges": { schema: binary } },
  },
  304: { description: "Extension: the file still has the `ETag` that you sent.", headers: REUSE_HEADERS },
};
