import { openDatabase } from "../platform/database.ts";
import type { ApiEnv } from "../platform/env.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { csvStream } from "./audit-csv.ts";
import { listEntries, type TrailEntry, type TrailFilter } from "./audit-trail.repository.ts";
import { insertOnce, type Deed } from "./audit.repository.ts";

/** How many entries of an export are in memory at once. */
const PAGE_ENTRIES = 1_000;

/** The entries that fit, the latest first, as CSV. That they are taken along is an entry itself. */
export async function exportTrail(
  config: Pick<ApiEnv, "DB">,
  filter: TrailFilter,
  deed: Deed,
): Promise<ReadableStream<Uint8Array>> {
  const database = openDatabase(config.DB, "primary");
  const done = { kind: "trail.exported", subjectId: deed.accountId } as const;
  await insertOnce(database, deed, [{ done, onceKey: `trail.exported ${deed.requestId}` }]);
  return csvStream(pagesOf(config, filter));
}

async function* pagesOf(
  config: Pick<ApiEnv, "DB">,
  filter: TrailFilter,
): AsyncGenerator<readonly TrailEntry[], void> {
  const database = openDatabase(config.DB, "primary");
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
