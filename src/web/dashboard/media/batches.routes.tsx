import { Hono } from "hono";
import { z } from "zod";
import { keepsFileNames } from "../../../records/audit/name-rules.repository.ts";
import { rateLimit } from "../../../intake/limits/rate-limit.middleware.ts";
import {
  browseMedia,
  findCurrentIds,
  listOtherVersions,
} from "../../../records/media/media-browse.repository.ts";
import type { MediaRow } from "../../../records/media/media.repository.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../../ground/platform/database.ts";
import { notFound } from "../../../ground/platform/errors.ts";
import { countWaiting } from "../../../records/review/review-queue.repository.ts";
import { listRetryable } from "../../../intake/revisions/retry.repository.ts";
import { listBatches, listBatchFiles, listBatchNames } from "../../../records/uploads/batches.repository.ts";
import { listedReviews } from "../parts/listed-reviews.data.ts";
import { removeFiles } from "./remove-files.ts";
import { BatchPage, BatchesPage, MOST_FILES } from "./batch.pages.tsx";
import { isBatchId } from "../request/batch-id.ts";
import {
  DASHBOARD_PATH,
  deedBy,
  parameterOf,
  teamOf,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
} from "../request/dashboard.http.ts";
import { noticeOf, retryNotice, withDeletionNotice, withNotice } from "../request/notices.ts";

const PATH = `${DASHBOARD_PATH}/batches`;
/** Each deletion makes several storage calls. */
const MOST_DELETED = 100;
const MOST_BATCHES = 50;
/** The names of this many files take a few megabytes. */
const MOST_COMPARED = 20_000;

/** Files that were uploaded together, and actions on all of them. */
export const batchRoutes = new Hono<DashboardEnv>();

const beforeSchema = z.coerce.number().int().positive();

batchRoutes.get("/", async (c) => {
  const database = openDatabase(c.get("config").DB, "primary");
  const beforeMs = beforeSchema.safeParse(c.req.query("before")).data;
  const found = await listBatches(database, teamOf(c).accountId, { beforeMs, limit: MOST_BATCHES + 1 });
  const batches = found.slice(0, MOST_BATCHES);
  const olderThanMs = found.length > MOST_BATCHES ? batches.at(-1)?.beganAt : undefined;
  return c.html(<BatchesPage viewer={viewerOf(c)} batches={batches} olderThanMs={olderThanMs} />);
});

batchRoutes.get("/:batchId", async (c) => {
  const database = openDatabase(c.get("config").DB, "primary");
  const { accountId } = teamOf(c);
  const batchId = batchOf(c);
  const { rows, hasMore } = await shownFiles(database, { accountId, batchId });
  const currentIds = rows.map(({ id }) => id);
  const [others, waiting, reviews, retryable, keepsNames] = await Promise.all([
    listOtherVersions(database, accountId, currentIds),
    countWaiting(database, accountId, currentIds),
    listedReviews(database, accountId, currentIds),
    listRetryable(database, accountId, { ids: currentIds, nowMs: nowMs() }),
    keepsFileNames(database, accountId),
  ]);
  // Only the page's script knows an upload of which nothing has arrived.
  const status = rows.length === 0 ? 404 : 200;
  return c.html(
    <BatchPage
      viewer={viewerOf(c)}
      batchId={batchId}
      rows={rows}
      others={others}
      waiting={waiting}
      reviews={reviews}
      retryable={retryable}
      hasMore={hasMore}
      mostDeleted={MOST_DELETED}
      keepsNames={keepsNames}
      notice={retryNotice(c.req.query()) ?? noticeOf(c.req.query("notice"))}
    />,
    status,
  );
});

/** The files of an upload that have arrived, for a page that was reloaded. */
batchRoutes.get("/:batchId/files", async (c) => {
  const owned = { accountId: teamOf(c).accountId, batchId: batchOf(c) };
  const files = await listBatchNames(openDatabase(c.get("config").DB, "primary"), owned, MOST_COMPARED);
  if (files.length === 0) throw noSuchUpload();
  return c.json({
    files: files.map(({ filename, folder, sizeBytes }) => ({
      path: folder === null ? filename : `${folder}/${filename}`,
      size_bytes: sizeBytes,
    })),
  });
});

batchRoutes.post("/:batchId/delete", rateLimit(), async (c) => {
  const { accountId } = teamOf(c);
  const batchId = batchOf(c);
  const database = openDatabase(c.get("config").DB, "primary");
  const { rows, hasMore } = await shownFiles(database, { accountId, batchId });
  if (rows.length === 0) throw noSuchUpload();
  const deletedIds = rows.slice(0, MOST_DELETED).map(({ id }) => id);
  await removeFiles(c.get("config"), deletedIds, deedBy(c));
  if (hasMore || rows.length > MOST_DELETED)
    return c.redirect(withNotice(`${PATH}/${batchId}`, "batch_partly_deleted"), 303);
  return c.redirect(
    withDeletionNotice(`${DASHBOARD_PATH}/media`, "selection_deleted", c.get("requestId")),
    303,
  );
});

const BY_NAME = { by: "name", isAscending: true } as const;

/** The current versions that the page of an upload shows, in its order, and whether the upload has more. */
async function shownFiles(
  database: Database,
  owned: { accountId: string; batchId: string },
): Promise<{ rows: readonly MediaRow[]; hasMore: boolean }> {
  const { accountId } = owned;
  const firstIds = await listBatchFiles(database, owned, MOST_FILES + 1);
  const ids = await findCurrentIds(database, accountId, firstIds.slice(0, MOST_FILES));
  const page = { offset: 0, limit: MOST_FILES, order: BY_NAME };
  return {
    rows: await browseMedia(database, { accountId, ids }, page),
    hasMore: firstIds.length > MOST_FILES,
  };
}

/** @throws VeilError 404 if it is not the ID of a batch */
function batchOf(c: DashboardContext): string {
  const batchId = parameterOf(c, "batchId");
  if (!isBatchId(batchId)) throw noSuchUpload();
  return batchId;
}

function noSuchUpload(): Error {
  return notFound("There is no such upload.");
}
