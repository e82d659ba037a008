import { Hono } from "hono";
import { rateLimit } from "../limits/rate-limit.middleware.ts";
import { browseMedia, findCurrentIds, listOtherVersions } from "../media/media-browse.repository.ts";
import { openDatabase } from "../platform/database.ts";
import { notFound } from "../platform/errors.ts";
import { countWaiting } from "../review-queue/review-queue.repository.ts";
import { listBatches, listBatchFiles, listBatchNames } from "../uploads/batches.repository.ts";
import { listedReviews } from "./data/listed-reviews.data.ts";
import { removeFiles } from "./data/remove-files.ts";
import { BatchPage, BatchesPage, MOST_FILES } from "./pages/batch.pages.tsx";
import { isBatchId } from "./request/batch-id.ts";
import {
  DASHBOARD_PATH,
  deedBy,
  parameterOf,
  teamOf,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
} from "./request/dashboard.http.ts";
import { noticeOf, withDeletionNotice, withNotice } from "./request/notices.ts";

const PATH = `${DASHBOARD_PATH}/batches`;
/** Each deletion makes several calls of storage. */
const MOST_DELETED = 100;
const MOST_BATCHES = 50;
/** Names of so many files are a few megabytes. */
const MOST_COMPARED = 20_000;

/** Files that were uploaded together: how far they are, and what can be done with all of them. */
export const batchRoutes = new Hono<DashboardEnv>();

batchRoutes.get("/", async (c) => {
  const database = openDatabase(c.get("config").DB, "primary");
  const batches = await listBatches(database, teamOf(c).accountId, MOST_BATCHES);
  return c.html(<BatchesPage viewer={viewerOf(c)} batches={batches} />);
});

batchRoutes.get("/:batchId", async (c) => {
  const database = openDatabase(c.get("config").DB, "primary");
  const { accountId } = teamOf(c);
  const batchId = batchOf(c);
  const ids = await listBatchFiles(database, { accountId, batchId }, MOST_FILES + 1);
  const currentIds = await findCurrentIds(database, accountId, ids.slice(0, MOST_FILES));
  const [rows, others, waiting, reviews] = await Promise.all([
    browseMedia(database, { accountId, ids: currentIds }, { offset: 0, limit: MOST_FILES, order: BY_NAME }),
    listOtherVersions(database, accountId, currentIds),
    countWaiting(database, accountId, currentIds),
    listedReviews(database, accountId, currentIds),
  ]);
  // An upload of which nothing has arrived yet is known to the page's script alone.
  const status = rows.length === 0 ? 404 : 200;
  return c.html(
    <BatchPage
      viewer={viewerOf(c)}
      batchId={batchId}
      rows={rows}
      others={others}
      waiting={waiting}
      reviews={reviews}
      hasMore={ids.length > MOST_FILES}
      mostDeleted={MOST_DELETED}
      notice={noticeOf(c.req.query("notice"))}
    />,
    status,
  );
});

/** What has arrived of an upload, for a page that does not know it of all files. */
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
  const ids = await listBatchFiles(database, { accountId, batchId }, MOST_DELETED + 1);
  if (ids.length === 0) throw noSuchUpload();
  await removeFiles(c.get("config"), ids.slice(0, MOST_DELETED), deedBy(c));
  if (ids.length > MOST_DELETED)
    return c.redirect(withNotice(`${PATH}/${batchId}`, "batch_partly_deleted"), 303);
  return c.redirect(
    withDeletionNotice(`${DASHBOARD_PATH}/media`, "selection_deleted", c.get("requestId")),
    303,
  );
});

const BY_NAME = { by: "name", isAscending: true } as const;

/** @throws VeilError 404 where it is no id of a batch */
function batchOf(c: DashboardContext): string {
  const batchId = parameterOf(c, "batchId");
  if (!isBatchId(batchId)) throw noSuchUpload();
  return batchId;
}

function noSuchUpload(): Error {
  return notFound("There is no such upload.");
}
