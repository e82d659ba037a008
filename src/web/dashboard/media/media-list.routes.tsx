import { Hono } from "hono";
import { listKeys } from "../../../records/accounts/accounts.repository.ts";
import { countDeleted } from "../../../records/audit/deletion-records.repository.ts";
import { listDeletions } from "../../../records/deletions/deletions.repository.ts";
import { keepsFileNames } from "../../../records/audit/name-rules.repository.ts";
import {
  browseMedia,
  listFolders,
  listOtherVersions,
} from "../../../records/media/media-browse.repository.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { API_BASE_PATH, originOf } from "../../../ground/platform/http.ts";
import { listRetryable } from "../../../intake/revisions/retry.repository.ts";
import { teamOf, viewerOf, type DashboardEnv } from "../request/dashboard.http.ts";
import { deletionsQuerySchema } from "./deletions-query.ts";
import { filterOf, mediaQuerySchema } from "./media-query.ts";
import { giveThumbnailPass } from "../request/thumbnail-pass.ts";
import { listedReviews } from "../parts/listed-reviews.data.ts";
import { deletionNotice, noticeOf, retryNotice } from "../request/notices.ts";
import { MediaListPage } from "./media-list.page.tsx";

const PAGE_SIZE = 100;
/** The most folders that the filter suggests. Others can be entered. */
const MOST_FOLDERS = 200;

/** The list of a team's media. */
export const mediaListRoutes = new Hono<DashboardEnv>();

mediaListRoutes.get("/", giveThumbnailPass, async (c) => {
  const config = c.get("config");
  const { accountId } = teamOf(c);
  const query = mediaQuerySchema.parse(c.req.query());
  const database = openDatabase(config.DB, "primary");
  const deletedBy = deletionsQuerySchema.parse({ request: c.req.query("record") }).request;
  const [rows, keys, folders, deleted] = await Promise.all([
    browseMedia(
      database,
      { ...filterOf(accountId, query), isCurrent: true },
      {
        offset: (query.page - 1) * PAGE_SIZE,
        limit: PAGE_SIZE,
        order: { by: query.sort ?? "uploaded", isAscending: query.order === "asc" },
      },
    ),
    listKeys(openDatabase(config.MAIN_DB, "primary"), accountId),
    listFolders(database, accountId, MOST_FOLDERS),
    deletedBy === undefined ? undefined : countDeleted(database, { accountId, requestId: deletedBy }),
  ]);
  const shown = rows.slice(0, PAGE_SIZE);
  const ids = shown.map(({ id }) => id);
  const [others, reviews, retryable, keepsNames, deletions] = await Promise.all([
    listOtherVersions(database, accountId, ids),
    listedReviews(database, accountId, ids),
    listRetryable(database, accountId, { ids, nowMs: nowMs() }),
    keepsFileNames(database, accountId),
    ids.length === 0 ? listDeletions(database, { accountId }, { limit: 1 }) : [],
  ]);
  return c.html(
    <MediaListPage
      viewer={viewerOf(c)}
      query={query}
      rows={shown}
      others={Map.groupBy(others, ({ currentVersionId }) => currentVersionId ?? "")}
      reviews={reviews}
      retryable={retryable}
      hasMore={rows.length > PAGE_SIZE}
      keys={keys}
      folders={folders}
      baseUrl={`${originOf(c)}${API_BASE_PATH}`}
      notice={
        deleted !== undefined && deleted.files > 0
          ? deletionNotice(deleted)
          : (retryNotice(c.req.query()) ?? noticeOf(c.req.query("notice")))
      }
      hasDeleted={deletions.length > 0}
      deletedBy={deletedBy}
      keepsNames={keepsNames}
    />,
  );
});
