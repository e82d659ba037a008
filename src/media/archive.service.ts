import { makeZip } from "client-zip";
import { insertOnce, type Deed, type DoneOnce } from "../audit/audit.repository.ts";
import { openDatabase, type Database } from "../platform/database.ts";
import type { ApiEnv } from "../platform/env.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { downloadName } from "./download-name.ts";
import { handOutKey } from "./hand-out.ts";
import { browseMedia, type BrowseFilter } from "./media-browse.repository.ts";
import { outputKey } from "./media.objects.ts";
import type { MediaRow } from "./media.repository.ts";

/** Each file takes a read of R2, and an invocation may make a thousand (Cloudflare Workers' limits). */
export const MOST_ARCHIVED = 500;
/** Files that are written down at once: an entry of the audit trail goes before its file. */
const FILES_A_STEP = 50;

interface ArchivedFile {
  readonly name: string;
  readonly lastModified: Date;
  readonly input: ReadableStream<Uint8Array> | string;
}

/**
 * The redacted files of the media that fit, newest first, as a ZIP that is made while it is read: one file is open at a time, and none
 * is held in memory. Files that are gone meanwhile are left out. Of very many the newest are in it, and a note that says so.
 */
export function archiveOf(config: ApiEnv, filter: BrowseFilter, deed: Deed): ReadableStream<Uint8Array> {
  return makeZip(filesOf(config, { ...filter, isDownloadable: true }, deed));
}

async function* filesOf(config: ApiEnv, filter: BrowseFilter, deed: Deed): AsyncGenerator<ArchivedFile> {
  const database = openDatabase(config.DB, "primary");
  const names = new UniqueNames();
  const rows = await browseMedia(database, filter, { offset: 0, limit: MOST_ARCHIVED });
  const isMore = rows.length > MOST_ARCHIVED;
  const archived = rows.slice(0, MOST_ARCHIVED);
  for (let at = 0; at < archived.length; at += FILES_A_STEP) {
    const step = archived.slice(at, at + FILES_A_STEP);
    await writeDown(database, deed, step);
    for (const row of step) {
      const key = outputKey({ accountId: row.accountId, mediaId: row.id });
      const object = await withRetry(STORAGE_RETRY, async () => await config.MEDIA.get(key));
      if (object === null) continue;
      const name = names.take(downloadName(row.filename, row.format));
      yield { name, lastModified: new Date(row.processedAt ?? row.createdAt), input: object.body };
    }
  }
  if (isMore) {
    yield {
      name: names.take("More files.txt"),
      lastModified: new Date(deed.nowMs),
      input: `This archive holds the newest ${MOST_ARCHIVED} files. There are more: filter the list by date and download them in parts.\n`,
    };
  }
}

async function writeDown(database: Database, deed: Deed, rows: readonly MediaRow[]): Promise<void> {
  const entries = rows.map(({ id }): DoneOnce => {
    const kind = "media.downloaded";
    return { done: { kind, subjectId: id }, onceKey: handOutKey(deed, { kind, mediaId: id }) };
  });
  const [first, ...others] = entries;
  if (first === undefined) return;
  await withRetry(STORAGE_RETRY, async () => await insertOnce(database, deed, [first, ...others]));
}

/** Gives each file of a folder a name of its own, on file systems that take small and capital letters for the same too. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  /** The name, without what file systems refuse, and with a number where another file has it. */
  take(wanted: string): string {
    const plain = wanted.replaceAll(/[\p{Cc}<>:"/\\|?*]/gu, "_");
    const [, stem = plain, ending = ""] = /^(.+?)((?:\.redacted)?\.[^.]+)$/.exec(plain) ?? [];
    let name = plain;
    for (let number = 2; this.#taken.has(name.toLowerCase()); number++) name = `${stem} (${number})${ending}`;
    this.#taken.add(name.toLowerCase());
    return name;
  }
}
