import { open, stat, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import type { UploadFile } from "../multipart.ts";

const PIECE_BYTES = 65_536;

/** A file on disk for an upload: read as it is sent, and from its beginning on a retry. @throws when there is none */
export async function openFile(path: string): Promise<UploadFile> {
  const { size } = await stat(path);
  return { name: basename(path), size, stream: () => piecesOf(path) };
}

/** The pieces of a file, each read when it is asked for: Node's own conversion of streams reads far ahead. */
function piecesOf(path: string): ReadableStream<Uint8Array> {
  let file: FileHandle | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        file ??= await open(path);
        const { bytesRead, buffer } = await file.read(new Uint8Array(PIECE_BYTES), 0, PIECE_BYTES);
        if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
        await file.close();
        controller.close();
      },
      async cancel() {
        await file?.close();
      },
    },
    { highWaterMark: 0 },
  );
}
