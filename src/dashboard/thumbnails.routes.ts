import { Hono } from "hono";
import { findMedia, type MediaRow } from "../media/media.repository.ts";
import { thumbnailKey } from "../media/media.objects.ts";
import { noSuchMedia } from "../media/media.service.ts";
import { openDatabase } from "../platform/database.ts";
import { STORAGE_RETRY, withRetry } from "../platform/retry.ts";
import { parameterOf, teamOf, type DashboardEnv } from "./request/dashboard.http.ts";

/** Stands where a file has no thumbnail: a plain picture in gray, readable on light and dark, with the words for it. */
function placeholder({ mediaType }: Pick<MediaRow, "mediaType">): string {
  const path =
    mediaType === "video"
      ? "M13 18h14v12H13zM27 22l8-4v12l-8-4"
      : "M14 16h20v16H14zM14 29l6-6 5 5 3-3 6 6M28.5 20.5h.01";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><title>No thumbnail</title><path d="${path}" fill="none" stroke="#8b867e" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

/** Small versions of redacted files, for lists. */
export const thumbnailRoutes = new Hono<DashboardEnv>();

thumbnailRoutes.get("/:mediaId/thumbnail", async (c) => {
  const config = c.get("config");
  const owned = { accountId: teamOf(c).accountId, mediaId: parameterOf(c, "mediaId") };
  const row = await findMedia(openDatabase(config.DB, "any"), owned);
  if (row === undefined) throw noSuchMedia();
  const hasOutput = row.status === "completed" && row.outputSizeBytes !== null;
  const object = hasOutput
    ? await withRetry(STORAGE_RETRY, async () => await config.MEDIA.get(thumbnailKey(owned)))
    : null;
  if (object === null) return c.body(placeholder(row), 200, { "Content-Type": "image/svg+xml" });
  return c.body(object.body, 200, {
    "Content-Type": "image/webp",
    "Content-Length": String(object.size),
  });
});
