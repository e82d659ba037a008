import type { Database } from "../platform/database.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { csvStream } from "./audit-csv.ts";
import { listEntries, type TrailEntry, type TrailFilter } from "./audit-trail.repository.ts";
import { insertOnce, type Deed } from "./audit.repository.ts";

/** How many entries of an export are in memory at once. */
const PAGE_ENTRIES = 1_000;

/** The entries that fit, the latest first, as CSV. That they are taken along is an entry itself. */
export async function exportTrail(
  database: Database,
  filter: TrailFilter,
  deed: Deed,
): Promise<ReadableStream<Uint8Array>> {
  const done = { kind: "trail.exported", subjectId: deed.accountId } as const;
  await insertOnce(database, deed, [{ done, onceKey: `trail.exported ${deed.requestId}` }]);
  return csvStream(pagesOf(database, filter));
}

async function* pagesOf(
  database: Database,
  filter: TrailFilter,
): AsyncGenerator<readonly TrailEntry[], void> {
  let beforeId: string | undefined;
  for (;;) {
    const page: readonly TrailEntry[] = await withRetry(
      STORAGE_RETRY,
      async () => await listEntries(database, filter, { beforeId, limit: PAGE_ENTRIES }),
    );
    if (page.length === 0) return;
    yield page;
    if (page.length < PAGE_ENTRIES) return;
    beforeId = page.at(-1)?.id;
  }
}
