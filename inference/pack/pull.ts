import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, Transform, type TransformCallback } from "node:stream";
import { pipeline } from "node:stream/promises";
import { downloadFile, fileDownloadInfo, HubApiError } from "@huggingface/hub";
import { isThere } from "../src/models/names.ts";

/** The size limit of a download, larger than any published detector. */
const MAX_BYTES = 512 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 10 * 60 * 1000;
const ATTEMPTS = 3;
const DEFAULT_PAUSE_MS = 1000;

/** A file at a commit of the Hub, as a network's manifest describes it. `source` is absent if the place is unknown. */
export interface PinnedFile {
  readonly id: string;
  /** Name in the destination folder. */
  readonly file: string;
  readonly sha256: string;
  readonly source?:
    | { readonly repository: string; readonly revision: string; readonly path: string }
    | undefined;
}

export interface PullOptions {
  /** Folder of the manifest, where the file goes. */
  readonly folder: string;
  /** The Hub, or a mirror of it. */
  readonly hubUrl?: string | undefined;
  readonly accessToken?: string | undefined;
  /** Time limit of one attempt, from the request to the last byte. */
  readonly timeoutMs?: number;
  /** Pause between the first and the second attempt. The next pause is twice as long. */
  readonly pauseMs?: number;
}

/** Whether the file of a manifest is in its folder and matches the manifest. */
export type FileState = "there" | "absent" | "damaged";

/** A failure that another attempt would repeat. */
class FinalError extends Error {}

/** Checks a file by its content. */
export async function stateOf(manifest: PinnedFile, folder: string): Promise<FileState> {
  const path = join(folder, manifest.file);
  if (!(await isThere(path))) return "absent";
  return (await sha256Of(path)) === manifest.sha256 ? "there" : "damaged";
}

/**
 * Downloads a file from the Hub at its pinned commit, unless it is already there. The file gets its name only after its SHA-256 is
 * checked, and a failure leaves nothing behind.
 * @returns Whether it was downloaded.
 * @throws Error with the reason: unknown source, not on
 * the Hub, a different file, or no complete answer in three attempts.
 */
export async function pull(manifest: PinnedFile, options: PullOptions): Promise<boolean> {
  if ((await stateOf(manifest, options.folder)) === "there") return false;
  const { source } = manifest;
  if (source === undefined) {
    throw new Error(
      `No place on the Hub is known for exactly the file of ${manifest.id}. Bring it: \`npm run models -- pull ${manifest.id} --from FOLDER\` takes the file with SHA-256 ${manifest.sha256}.`,
    );
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      await attemptPull(manifest, source, options);
      return true;
    } catch (error) {
      if (error instanceof FinalError) throw error;
      if (attempt === ATTEMPTS) {
        throw new Error(`${manifest.id} could not be fetched in ${ATTEMPTS} attempts: ${reasonOf(error)}`, {
          cause: error,
        });
      }
      await new Promise((resolve) =>
        setTimeout(resolve, (options.pauseMs ?? DEFAULT_PAUSE_MS) * 2 ** (attempt - 1)),
      );
    }
  }
}

/**
 * Copies a network from a folder, in which it may have any name.
 * @throws Error if no file in the folder has the manifest's SHA-256.
 */
export async function pullFrom(folder: string, manifest: PinnedFile, to: string): Promise<boolean> {
  if ((await stateOf(manifest, to)) === "there") return false;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.endsWith(".onnx") || (await sha256Of(path)) !== manifest.sha256) continue;
    await intoPlace(manifest, to, async (temporary) => copyFile(path, temporary));
    return true;
  }
  throw new Error(`No .onnx file of ${folder} has the SHA-256 of ${manifest.id}, ${manifest.sha256}.`);
}

async function attemptPull(
  manifest: PinnedFile,
  source: NonNullable<PinnedFile["source"]>,
  { folder, hubUrl, accessToken, timeoutMs = DEFAULT_TIMEOUT_MS }: PullOptions,
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  const place = {
    repo: { type: "model", name: source.repository } as const,
    path: source.path,
    revision: source.revision,
    fetch: async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
      fetch(input, { ...init, signal }),
    ...(hubUrl !== undefined && { hubUrl }),
    ...(accessToken !== undefined && { accessToken }),
  };
  const info = await fileDownloadInfo(place).catch(refuseForGood(manifest));
  if (info === null) throw new FinalError(`${nameOf(manifest)} is not on the Hub.`);
  const announced = /[0-9a-f]{64}/.exec(info.etag)?.[0];
  if (announced !== undefined && announced !== manifest.sha256) throw otherFile(manifest, announced);
  if (info.size > MAX_BYTES)
    throw new FinalError(`${nameOf(manifest)} has ${info.size} bytes; that is no small detector.`);
  // The Hub's older protocol, with one request per file, is enough for files of a few megabytes.
  const blob = await downloadFile({ ...place, downloadInfo: info, xet: false }).catch(
    refuseForGood(manifest),
  );
  if (blob === null) throw new FinalError(`${nameOf(manifest)} is not on the Hub.`);
  await intoPlace(manifest, folder, async (temporary) => {
    const body = Readable.fromWeb(blob.stream());
    await pipeline(body, atMost(info.size), createWriteStream(temporary), { signal });
  });
}

/** Writes a temporary file beside the network's final path, checks it, and renames it. */
async function intoPlace(
  manifest: PinnedFile,
  folder: string,
  write: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = join(folder, `${manifest.file}.${randomUUID()}.part`);
  await mkdir(dirname(temporary), { recursive: true });
  try {
    await write(temporary);
    const found = await sha256Of(temporary);
    if (found !== manifest.sha256) throw otherFile(manifest, found);
    await rename(temporary, join(folder, manifest.file));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Passes this many bytes on. More bytes are an error. */
function atMost(size: number): Transform {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
      passed += chunk.length;
      if (passed > size) done(new Error(`the Hub announced ${size} bytes and sent more`));
      else done(null, chunk);
    },
    flush(done: TransformCallback): void {
      done(passed < size ? new Error(`the answer broke off after ${passed} of ${size} bytes`) : null);
    },
  });
}

/** Statuses after which a retry is useless. */
const refuseForGood =
  (manifest: PinnedFile) =>
  (error: unknown): never => {
    if (error instanceof HubApiError && error.statusCode < 500 && error.statusCode !== 429) {
      throw new FinalError(`${nameOf(manifest)} is not to be had: the Hub answers ${error.statusCode}.`, {
        cause: error,
      });
    }
    throw error;
  };

function nameOf({ id, source }: PinnedFile): string {
  return `${source?.path} of ${source?.repository} at ${source?.revision.slice(0, 8)} (${id})`;
}

function otherFile(manifest: PinnedFile, found: string): FinalError {
  return new FinalError(
    `The file of ${manifest.id} has SHA-256 ${found}; the pack pins ${manifest.sha256}. It was not kept.`,
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return `${error.message}${cause}`;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
