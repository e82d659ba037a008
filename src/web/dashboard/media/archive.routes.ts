import { Hono } from "hono";
import { openDatabase } from "../../../ground/platform/database.ts";
import { rateLimit } from "../../../intake/limits/rate-limit.middleware.ts";
import { MOST_ARCHIVED, archiveOf } from "../../../records/media/archive.service.ts";
import { archiveName, contentDisposition } from "../../../records/media/download-name.ts";
import {
  findCurrentIds,
  findOrigin,
  type BrowseFilter,
} from "../../../records/media/media-browse.repository.ts";
import { isoDateTime, nowMs } from "../../../ground/platform/clock.ts";
import { countWaiting, requestReviews } from "../../../records/review/review-queue.repository.ts";
import { archiveFacts, archiveNotes } from "../parts/archive.data.ts";
import { listBatchFiles } from "../../../records/uploads/batches.repository.ts";
import { removeFiles } from "./remove-files.ts";
import {
  DASHBOARD_PATH,
  deedBy,
  teamOf,
  type DashboardContext,
  type DashboardEnv,
} from "../request/dashboard.http.ts";
import { isBatchId } from "../request/batch-id.ts";
import { filterOf, mediaQuerySchema } from "./media-query.ts";
import { withDeletionNotice, withNotice } from "../request/notices.ts";
import { selectedIds } from "./selection.ts";

const PATH = `${DASHBOARD_PATH}/media`;
/** More than a page of the list. Each deletion makes several storage calls. */
const MOST_DELETED = 100;
/** More than an archive holds, because its manifest lists all files of an upload. */
const MOST_IN_BATCH = 5_000;

/** Actions on many files at once. */
export const archiveRoutes = new Hono<DashboardEnv>();

archiveRoutes.get("/archive", rateLimit(), (c) => {
  const query = mediaQuerySchema.parse(c.req.query());
  const isCurrent = isAskingForAll(c.req.query("versions")) ? undefined : true;
  const filter = { ...filterOf(teamOf(c).accountId, query), isCurrent };
  return answerWithArchive(c, filter, {
    name: archiveName(filter.folder, dateOf(nowMs()), { isApprovedOnly: false }),
  });
});

archiveRoutes.post("/selection/download", rateLimit(), async (c) => {
  const { accountId } = teamOf(c);
  const { versions, batch, approved } = await c.req.parseBody();
  const database = openDatabase(c.get("config").DB, "primary");
  const batchId = typeof batch === "string" && isBatchId(batch) ? batch : undefined;
  const selected =
    batchId === undefined
      ? await selectedIds(c, MOST_ARCHIVED)
      : await listBatchFiles(database, { accountId, batchId }, MOST_IN_BATCH);
  if (selected.length === 0) return c.redirect(withNotice(PATH, "selection_empty"), 303);
  // Earlier versions of corrected files must not be downloaded unless they are requested.
  const ids = isAskingForAll(versions) ? selected : await findCurrentIds(database, accountId, selected);
  const { folder, firstAtMs } = await findOrigin(database, accountId, selected);
  const isApprovedOnly = approved === "only";
  const name =
    batchId === undefined
      ? archiveName(folder ?? "selection", dateOf(nowMs()), { isApprovedOnly })
      : archiveName(folder ?? "upload", dateOf(firstAtMs ?? nowMs()), { isApprovedOnly });
  return answerWithArchive(c, { accountId, ids }, { name, isApprovedOnly });
});

archiveRoutes.post("/selection/delete", rateLimit(), async (c) => {
  const ids = await selectedIds(c, MOST_DELETED);
  if (ids.length === 0) return c.redirect(withNotice(PATH, "selection_empty"), 303);
  await removeFiles(c.get("config"), ids, deedBy(c));
  return c.redirect(withDeletionNotice(PATH, "selection_deleted", c.get("requestId")), 303);
});

archiveRoutes.post("/selection/review", rateLimit(), async (c) => {
  const ids = [...new Set(await selectedIds(c, MOST_DELETED))];
  if (ids.length === 0) return c.redirect(withNotice(PATH, "selection_empty"), 303);
  const database = openDatabase(c.get("config").DB, "primary");
  await requestReviews(database, ids, deedBy(c));
  const sent = await countWaiting(database, teamOf(c).accountId, ids);
  return c.redirect(`${DASHBOARD_PATH}/review?sent=${sent}&unsent=${ids.length - sent}`, 303);
});

/** Whether superseded versions are requested too. */
function isAskingForAll(versions: unknown): boolean {
  return versions === "all";
}

/** A time as a date (YYYY-MM-DD). */
function dateOf(ms: number): string {
  return isoDateTime(ms).slice(0, 10);
}

function answerWithArchive(
  c: DashboardContext,
  filter: BrowseFilter,
  { name, isApprovedOnly = false }: { name: string; isApprovedOnly?: boolean },
): Response {
  const config = c.get("config");
  const { accountId } = filter;
  const archive = archiveOf(config, {
    filter,
    deed: deedBy(c),
    isApprovedOnly,
    factsOf: async (rows) => await archiveFacts(config, accountId, rows),
    notesOf: async (rows) => await archiveNotes(config, accountId, rows),
  });
  return c.body(archive, 200, {
    "Content-Type": "application/zip",
    "Content-Disposition": contentDisposition(name),
  });
}
