import { Hono } from "hono";
import { findMedia, type MediaRow } from "../../../records/media/media.repository.ts";
import { thumbnailKey } from "../../../records/media/media.objects.ts";
import { noSuchMedia } from "../../../records/media/media.service.ts";
import { accountConfig } from "../../../records/directory/account-database.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { STORAGE_RETRY, withRetry } from "../../../ground/platform/retry.ts";
import { parameterOf, teamOf, type DashboardContext, type DashboardEnv } from "../request/dashboard.http.ts";
import { passedAccountOf } from "../request/thumbnail-pass.ts";

/** The placeholder for a file without a thumbnail: a gray picture with a label, readable on light and dark. */
function placeholder({ mediaType }: Pick<MediaRow, "mediaType">): string {
  const path =
    mediaType === "video"
      ? "M13 18h14v12H13zM27 22l8-4v12l-8-4"
      : "M14 16h20v16H14zM14 29l6-6 5 5 3-3 6 6M28.5 20.5h.01";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><title>No thumbnail</title><path d="${path}" fill="none" stroke="#8b867e" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

/** Thumbnails of redacted files for a request with a pass, before the session is read. */
export const passedThumbnailRoutes = new Hono<DashboardEnv>();
/** The same for a signed-in user. */
export const thumbnailRoutes = new Hono<DashboardEnv>();

passedThumbnailRoutes.get("/:mediaId/thumbnail", async (c, next) => {
  const accountId = await passedAccountOf(c);
  // The pass is for one team. Thumbnails of the person's other teams need the session.
  const answer =
    accountId === undefined
      ? undefined
      : await findThumbnail(c, accountId, await accountConfig(c.get("config"), accountId));
  return answer ?? (await next());
});

thumbnailRoutes.get("/:mediaId/thumbnail", async (c) => {
  const answer = await findThumbnail(c, teamOf(c).accountId, c.get("config"));
  if (answer === undefined) throw noSuchMedia();
  return answer;
});

/** The thumbnail of an account's media item, or the placeholder; undefined if the account has no such item. */
async function findThumbnail(
  c: DashboardContext,
  accountId: string,
  config: ApiEnv,
): Promise<Response | undefined> {
  const owned = { accountId, mediaId: parameterOf(c, "mediaId") };
  const [row, object] = await Promise.all([
    findMedia(openDatabase(config.DB, "any"), owned),
    withRetry(STORAGE_RETRY, async () => await config.MEDIA.get(thumbnailKey(owned))),
  ]);
  const hasOutput = row?.status === "completed" && row.outputSizeBytes !== null;
  if (object !== null && hasOutput)
    return c.body(object.body, 200, {
      "Content-Type": "image/webp",
      "Content-Length": String(object.size),
    });
  await object?.body.cancel();
  if (row === undefined) return undefined;
  return c.body(placeholder(row), 200, { "Content-Type": "image/svg+xml" });
}
