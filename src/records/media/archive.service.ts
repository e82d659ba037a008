import { makeZip } from "client-zip";
import { insertOnce, type Deed, type DoneOnce } from "../audit/audit.repository.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { toHex } from "../../ground/platform/ids.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { ArchiveManifest, type ArchiveFacts, type FileNotes } from "./archive-manifest.ts";
import { downloadName } from "./download-name.ts";
import { downloadKeyOf } from "./download-audit.ts";
import { browseMedia, type BrowseFilter } from "./media-browse.repository.ts";
import { outputKey } from "./media.objects.ts";
import type { MediaRow } from "./media.repository.ts";

/** The most storage reads for one archive. An invocation may make a thousand (Cloudflare Workers' limits). */
export const MOST_ARCHIVED = 500;
/** Reads per file. A photo is read once; for a video, its detections are read too, in pieces. */
const READS = { image: 1, video: 3 } as const;
/** Files whose audit entries are written together. A file's entry is written before the file is sent. */
const FILES_A_STEP = 50;
/** The most files without a result that the manifest lists. */
const MOST_LISTED = 5_000;
const MANIFEST_NAME = "manifest.csv";

interface ArchivedFile {
  readonly name: string;
  readonly lastModified: Date;
  readonly input: ReadableStream<Uint8Array> | string;
}

/** Which files an archive holds, who downloads them, and what the manifest says about them. */
export interface ArchiveOrder {
  readonly filter: BrowseFilter;
  readonly deed: Deed;
  /** Whether to include only files that a reviewer approved. The manifest lists the others. */
  readonly isApprovedOnly: boolean;
  readonly factsOf: (rows: readonly MediaRow[]) => Promise<ReadonlyMap<string, ArchiveFacts>>;
  /** Reviewers' notes about files, which may say why a file is not approved. */
  readonly notesOf: (rows: readonly MediaRow[]) => Promise<ReadonlyMap<string, FileNotes>>;
}

/**
 * The redacted files of the matching media, newest first, as a ZIP that is built while it is read. One file is open at a time,
 * and none is held in memory. Files keep their folders. The last entry is a manifest, which also lists files without a result
 * and the reason. If there are too many files, the archive holds the newest ones and a note that says so.
 */
export function archiveOf(config: ApiEnv, order: ArchiveOrder): ReadableStream<Uint8Array> {
  return makeZip(filesOf(config, order));
}

async function* filesOf(
  config: ApiEnv,
  { filter, deed, isApprovedOnly, factsOf, notesOf }: ArchiveOrder,
): AsyncGenerator<ArchivedFile> {
  const database = openDatabase(config.DB, "primary");
  const names = new UniqueNames();
  const manifest = new ArchiveManifest();
  const wanted = { ...filter, isDownloadable: true };
  const rows = await browseMedia(database, wanted, { offset: 0, limit: MOST_ARCHIVED });
  const archived = rows.slice(0, mostWithin(rows));
  for (const row of rows.slice(archived.length)) manifest.addLeftOut(row, "more than one archive holds");
  names.take(MANIFEST_NAME);
  for (let at = 0; at < archived.length; at += FILES_A_STEP) {
    const step = archived.slice(at, at + FILES_A_STEP);
    const facts = await withRetry(STORAGE_RETRY, async () => await factsOf(step));
    const isApproved = ({ id }: MediaRow): boolean => (facts.get(id)?.approval ?? null) !== null;
    const isWanted = (row: MediaRow): boolean => !isApprovedOnly || isApproved(row);
    const taken = step.filter(isWanted);
    await writeDown(database, deed, taken);
    for (const row of step.filter((one) => !isWanted(one)))
      manifest.addLeftOut(row, "not approved", facts.get(row.id)?.notes);
    for (const row of taken) {
      const key = outputKey({ accountId: row.accountId, mediaId: row.id });
      const object = await withRetry(STORAGE_RETRY, async () => await config.MEDIA.get(key));
      if (object === null) {
        manifest.addLeftOut(row, "no longer stored", facts.get(row.id)?.notes);
        continue;
      }
      const name = names.take(downloadName(row.filename, row.format), row.folder ?? undefined);
      const { input, sha256 } = hashed(object.body as ReadableStream<Uint8Array>);
      yield { name, lastModified: new Date(row.processedAt ?? row.createdAt), input };
      // The ZIP requests the next file only after it has read this one to its end.
      manifest.add(name, row, { facts: facts.get(row.id), sha256: await sha256() });
    }
  }
  const lacking = { ...filter, isDownloadable: false };
  const unfinished = await browseMedia(database, lacking, { offset: 0, limit: MOST_LISTED });
  const notes = await withRetry(STORAGE_RETRY, async () => await notesOf(unfinished));
  for (const row of unfinished) manifest.addLeftOut(row, undefined, notes.get(row.id));
  const lastModified = new Date(deed.nowMs);
  if (archived.length < rows.length) {
    yield {
      name: names.take("More files.txt"),
      lastModified,
      input: `This archive holds the newest ${archived.length} files. There are more: filter the list by date and download them in parts.\n`,
    };
  }
  yield { name: MANIFEST_NAME, lastModified, input: manifest.toString() };
}

/** How many of the rows one invocation can read. */
function mostWithin(rows: readonly MediaRow[]): number {
  let reads = 0;
  const past = rows.findIndex(({ mediaType }) => (reads += READS[mediaType]) > MOST_ARCHIVED);
  return past === -1 ? rows.length : past;
}

/** A stream, and the SHA-256 of its bytes once it has been read to its end. */
function hashed(body: ReadableStream<Uint8Array>): {
  readonly input: ReadableStream<Uint8Array>;
  readonly sha256: () => Promise<string>;
} {
  const digest = new crypto.DigestStream("SHA-256");
  const writer = digest.getWriter();
  const input = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        await writer.write(chunk);
        controller.enqueue(chunk);
      },
      async flush() {
        await writer.close();
      },
    }),
  );
  return { input, sha256: async () => toHex(new Uint8Array(await digest.digest)) };
}

async function writeDown(database: Database, deed: Deed, rows: readonly MediaRow[]): Promise<void> {
  const entries = rows.map(({ id }): DoneOnce => {
    const kind = "media.downloaded";
    return { done: { kind, subjectId: id }, onceKey: downloadKeyOf(deed, { kind, mediaId: id }) };
  });
  const [first, ...others] = entries;
  if (first === undefined) return;
  await withRetry(STORAGE_RETRY, async () => await insertOnce(database, deed, [first, ...others]));
}

/** Gives each file of a folder a unique name, also on file systems that ignore case. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  /** Returns the name with its folder, without characters that file systems refuse, and with a number if another file has the name. */
  take(wanted: string, folder?: string): string {
    const path = folder === undefined ? "" : `${folder.split("/").map(plainPart).join("/")}/`;
    const plain = plainName(wanted);
    const [, stem = plain, ending = ""] = /^(.+?)((?:\.redacted)?\.[^.]+)$/.exec(plain) ?? [];
    let name = path + plain;
    for (let number = 2; this.#taken.has(name.toLowerCase()); number++)
      name = `${path}${stem} (${number})${ending}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}

function plainName(name: string): string {
  return name.replaceAll(/[\p{Cc}<>:"/\\|?*]/gu, "_");
}

/** Sanitizes a part of a folder's path. Windows drops dots and spaces at its end, and two dots would lead out of the archive. */
function plainPart(part: string): string {
  return plainName(part).replace(/[. ]+$/, (end) => "_".repeat(end.length));
}
