import type { Database } from "../../ground/platform/database.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { csvStream } from "./trail-csv.ts";
import { listEntries, type TrailEntry, type TrailFilter } from "./audit-trail.repository.ts";
import { insertOnce, type Deed } from "../audit/audit.repository.ts";
import { digestOfName, findNameRules, type NameRules } from "../audit/name-rules.repository.ts";

/** How many entries of an export are in memory at once. */
const PAGE_ENTRIES = 1_000;

/** Filters for the audit trail that select files by name. */
export type TrailQuestion = Omit<TrailFilter, "file"> & { readonly fileName?: string | undefined };

/**
 * A page of entries, latest first. Files are identified by the digest of their name, and also by the name itself if the account
 * has chosen that.
 */
export async function readTrail(
  database: Database,
  question: TrailQuestion,
  page: { readonly beforeId?: string | undefined; readonly limit: number },
): Promise<TrailEntry[]> {
  const rules = await findNameRules(database, question.accountId);
  return await readPage(database, { filter: await filterOf(question, rules), rules }, page);
}

async function filterOf({ fileName, ...filter }: TrailQuestion, rules: NameRules): Promise<TrailFilter> {
  if (fileName === undefined) return filter;
  return { ...filter, file: { name: fileName, digest: await digestOfName(rules, fileName) } };
}

async function readPage(
  database: Database,
  { filter, rules }: { readonly filter: TrailFilter; readonly rules: NameRules },
  page: { readonly beforeId?: string | undefined; readonly limit: number },
): Promise<TrailEntry[]> {
  const entries = await listEntries(database, filter, page);
  return await Promise.all(entries.map(async (entry) => await withDigest(entry, rules)));
}

async function withDigest(entry: TrailEntry, rules: NameRules): Promise<TrailEntry> {
  const { fileName, nameDigest } = entry;
  return {
    ...entry,
    fileName: rules.keepsNames ? fileName : null,
    nameDigest: nameDigest ?? (fileName === null ? null : await digestOfName(rules, fileName)),
  };
}

/** The matching entries, latest first, as CSV. The export itself is recorded as an entry. */
export async function exportTrail(
  database: Database,
  question: TrailQuestion,
  deed: Deed,
): Promise<ReadableStream<Uint8Array>> {
  const done = { kind: "trail.exported", subjectId: deed.accountId } as const;
  await insertOnce(database, deed, [{ done, onceKey: `trail.exported ${deed.requestId}` }]);
  const rules = await findNameRules(database, deed.accountId);
  return csvStream(pagesOf(database, { filter: await filterOf(question, rules), rules }));
}

async function* pagesOf(
  database: Database,
  asked: { readonly filter: TrailFilter; readonly rules: NameRules },
): AsyncGenerator<readonly TrailEntry[], void> {
  let beforeId: string | undefined;
  for (;;) {
    const page: readonly TrailEntry[] = await withRetry(
      STORAGE_RETRY,
      async () => await readPage(database, asked, { beforeId, limit: PAGE_ENTRIES }),
    );
    if (page.length === 0) return;
    yield page;
    if (page.length < PAGE_ENTRIES) return;
    beforeId = page.at(-1)?.id;
  }
}
