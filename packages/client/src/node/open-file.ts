import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import type { UploadFile } from "../multipart.ts";

/** A file on disk for an upload: read as it is sent, and from its beginning on a retry. @throws when there is none */
export async function openFile(path: string): Promise<UploadFile> {
  const { size } = await stat(path);
  return {
    name: basename(path),
    size,
    stream: () => Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>,
  };
}
