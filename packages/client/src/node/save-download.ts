import { randomUUID } from "node:crypto";
import { access, link, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DEFAULT_RETRY, delayBeforeRetryMs, sleep } from "../back-off.ts";
import type { VeilClient } from "../client.ts";
import type { Download } from "../download.ts";
import { VeilError } from "../errors.ts";
import { refuseUnknown } from "../known-options.ts";
import type { Stoppable } from "../transport.ts";

/** How to write a redacted file. */
export interface SaveOptions extends Stoppable {
  /** Replaces an existing file. */
  readonly overwrite?: boolean;
  readonly onProgress?: (progress: { receivedBytes: number; totalBytes: number | undefined }) => void;
}

/** A file that was written. */
export interface Saved extends Pick<Download, "contentType" | "filename"> {
  readonly path: string;
}

/** The file exists and must not be overwritten. */
export class OutputExistsError extends VeilError {
  override readonly name = "OutputExistsError";

  readonly path: string;

  constructor(path: string) {
    super(`${path} already exists; pass overwrite: true to replace it.`);
    this.path = path;
  }
}

/**
 * Downloads a redacted file to `path`. It is written under another name in the same folder and renamed once it is complete, so
 * `path` never holds a partial file, and a failed download leaves no file behind. Interrupted downloads resume, or restart if
 * they cannot.
 *
 * @param path where to write it, or a function that chooses that once the file's type is known
 * @returns its path and type
 * @throws OutputExistsError, VeilError, or the file system's error
 */
export async function saveDownload(
  client: VeilClient,
  mediaId: string,
  path: string | ((download: Pick<Download, "filename" | "contentType">) => string),
  options: SaveOptions = {},
): Promise<Saved> {
  refuseUnknown(options, ["overwrite", "onProgress", "signal"]);
  for (let attempt = 0; ; attempt++) {
    try {
      return await saveOnce(client, mediaId, { ...options, path });
    } catch (error) {
      options.signal?.throwIfAborted();
      const delayMs = delayBeforeRetryMs(error, attempt, DEFAULT_RETRY);
      if (delayMs === undefined) throw error;
      await sleep(delayMs, options.signal);
    }
  }
}

async function saveOnce(
  client: VeilClient,
  mediaId: string,
  {
    path: wanted,
    overwrite = false,
    signal,
    onProgress,
  }: SaveOptions & { readonly path: Parameters<typeof saveDownload>[2] },
): Promise<Saved> {
  const download = await client.download(mediaId, { signal });
  const { body, contentType, filename, sizeBytes: totalBytes } = download;
  const path = typeof wanted === "string" ? wanted : await pathFor(download, wanted);
  const partPath = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`);
  try {
    const file = await open(partPath, "wx");
    try {
      let receivedBytes = 0;
      for await (const piece of body) {
        await file.writeFile(piece);
        receivedBytes += piece.length;
        onProgress?.({ receivedBytes, totalBytes });
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await (overwrite ? rename(partPath, path) : publish(partPath, path));
    return { contentType, filename, path };
  } finally {
    await rm(partPath, { force: true });
  }
}

/** Chooses the path of a download. If that fails, cancels the download. */
async function pathFor(download: Download, choose: (download: Download) => string): Promise<string> {
  try {
    return choose(download);
  } catch (error) {
    await download.body.cancel();
    throw error;
  }
}

/** Gives a file its final name unless that name is taken. A link is created atomically or not at all. */
async function publish(partPath: string, path: string): Promise<void> {
  try {
    await link(partPath, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EEXIST") throw new OutputExistsError(path);
    if (code === "ENOSPC") throw error;
    // For file systems without links.
    const isTaken = await access(path).then(
      () => true,
      () => false,
    );
    if (isTaken) throw new OutputExistsError(path);
    await rename(partPath, path);
  }
}
