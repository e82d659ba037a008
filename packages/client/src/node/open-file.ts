import { open, stat, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { VeilFileError } from "../errors.ts";
import type { UploadFile } from "../multipart.ts";

const PIECE_BYTES = 65_536;

/**
 * Opens a file on disk for an upload. It is read as it is sent, and again from its beginning on a retry.
 *
 * @throws VeilFileError if there is no such file
 */
export async function openFile(path: string): Promise<UploadFile> {
  const found = await stat(path).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new VeilFileError(`${JSON.stringify(path)} cannot be read: ${reason}`, { cause });
  });
  if (!found.isFile()) throw new VeilFileError(`${JSON.stringify(path)} is not a file.`);
  const { size } = found;
  return { name: basename(path), size, stream: () => piecesOf(path) };
}

/** The pieces of a file, each read when it is requested. Node's own stream conversion reads far ahead. */
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
