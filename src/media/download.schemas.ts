import { z } from "@hono/zod-openapi";
import { COMMON_HEADERS } from "../platform/openapi.ts";
import { FORMAT_CONTENT_TYPES } from "../vocabulary/media-values.ts";

const EXAMPLE_TAG = '"5d41402abc4b2a76b9719d911017c592"';

function optionalHeader(description: string, example = EXAMPLE_TAG) {
  return z.string().optional().openapi({ param: { description }, example });
}

/** Headers that ask for a part of a file, or for nothing where it is known already; `answerWithFile` reads them. */
export const downloadHeadersSchema = z.object({
  Range: optionalHeader("Extension: the bytes to send, up to 16 ranges of them.", "bytes=0-1023"),
  "If-Range": optionalHeader(
    "Extension: the `ETag` or `Last-Modified` of the file that `Range` is about. If the file is another, all of it comes.",
  ),
  "If-None-Match": optionalHeader("Extension: an `ETag` that is known; 304 when the file still has it."),
  "If-Match": optionalHeader("Extension: the `ETag` that the file must have; 412 when it has another."),
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
    "`attachment` with the name of the uploaded file, `.redacted` and the extension of what is in the file.",
  ),
  "Content-Length": sizeHeader("Size of the body in bytes."),
  Link: textHeader(
    'Extension: `<…>; rel="successor-version"`, the current version of the media, where a newer one has taken the place of this (RFC 5829).',
  ),
};

const FILE_CONTENT = Object.fromEntries(
  Object.values(FORMAT_CONTENT_TYPES).map((type) => [type, { schema: binary }]),
);

/** What a download answers when all is well. */
export const downloadResponses = {
  200: { description: "The redacted file.", headers: FILE_HEADERS, content: FILE_CONTENT },
  206: {
    description: "Extension: the part of the file that `Range` asks for.",
    headers: {
      ...FILE_HEADERS,
      "Content-Range": textHeader(
        "Which bytes these are, and of how many. Absent when there are several ranges.",
      ),
    },
    content: { ...FILE_CONTENT, "multipart/byteranges": { schema: binary } },
  },
  304: { description: "Extension: the file has the `ETag` that is known.", headers: REUSE_HEADERS },
};
