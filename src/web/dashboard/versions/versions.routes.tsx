import { Hono } from "hono";
import { z } from "zod";
import { rateLimit } from "../../../intake/limits/rate-limit.middleware.ts";
import { findMedia } from "../../../records/media/media.repository.ts";
import { noSuchMedia } from "../../../records/media/media.service.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { restoreVersion } from "../../../intake/revisions/restore.service.ts";
import { versionRequestOf } from "../../../intake/revisions/version.http.ts";
import { fileVersions, versionsToSee, versionsUnderWay, type FileVersion } from "./versions.data.ts";
import { CompareVersionsPage } from "./compare-versions.page.tsx";
import {
  DASHBOARD_PATH,
  parameterOf,
  teamOf,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
} from "../request/dashboard.http.ts";
import { withNotice } from "../request/notices.ts";

const PATH = `${DASHBOARD_PATH}/media`;

/** The versions of a file: comparing two of them, and making an older one current again. */
export const versionRoutes = new Hono<DashboardEnv>();

const numberSchema = z.coerce.number().int().positive().optional().catch(undefined);
const comparedSchema = z.object({ left: numberSchema, right: numberSchema });

versionRoutes.get("/:mediaId/compare", async (c) => {
  const mediaId = parameterOf(c, "mediaId");
  const versions = await versionsOf(c, mediaId);
  const seen = versionsToSee(versions);
  const chosen = comparedSchema.parse(c.req.query());
  const numbered = (number: number | undefined): FileVersion | undefined =>
    seen.find((version) => version.number === number);
  const right = numbered(chosen.right) ?? seen.find(({ isCurrent }) => isCurrent) ?? seen[0];
  const left = numbered(chosen.left) ?? seen.find((version) => version !== right) ?? right;
  // A file without a result has nothing to compare.
  if (left === undefined || right === undefined) return c.redirect(`${PATH}/${mediaId}`, 303);
  return c.html(
    <CompareVersionsPage
      viewer={viewerOf(c)}
      mediaId={mediaId}
      left={left}
      right={right}
      versions={versions}
      seen={seen}
    />,
  );
});

versionRoutes.post("/:mediaId/restore", rateLimit(), async (c) => {
  const mediaId = parameterOf(c, "mediaId");
  const versions = await versionsOf(c, mediaId);
  // A second click redirects to the version that the first one created.
  const [underWay] = versionsUnderWay(versions);
  if (underWay !== undefined) return c.redirect(`${PATH}/${underWay.row.id}`, 303);
  // A current version stays current. A version without a result, such as a file that waits for review, cannot be restored.
  const older = versionsToSee(versions).find(({ row }) => row.id === mediaId);
  if (older === undefined || older.isCurrent) return c.redirect(`${PATH}/${mediaId}`, 303);
  const restored = await restoreVersion({ ...versionRequestOf(c, mediaId), idempotencyKey: undefined });
  return c.redirect(withNotice(`${PATH}/${restored.mediaId}`, "version_restored"), 303);
});

/** @throws VeilError 404 if the account has no such media item */
async function versionsOf(c: DashboardContext, mediaId: string): Promise<FileVersion[]> {
  const database = openDatabase(c.get("config").DB, "primary");
  const row = await findMedia(database, { accountId: teamOf(c).accountId, mediaId });
  if (row === undefined) throw noSuchMedia();
  return await fileVersions(database, row);
}
