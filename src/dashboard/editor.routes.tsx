import { Hono } from "hono";
import { detectorSettings } from "../detection/detector-settings.ts";
import { thresholdsOf } from "../detection/served-categories.ts";
import { rateLimit } from "../limits/rate-limit.middleware.ts";
import { findMedia } from "../media/media.repository.ts";
import { openDatabase } from "../platform/database.ts";
import { notFound } from "../platform/errors.ts";
import { describeDetections } from "../revisions/detections.service.ts";
import { receiveRevision } from "../revisions/revision.routes.ts";
import { editorData } from "./data/editor.data.ts";
import { EditorPage } from "./pages/editor.page.tsx";
import {
  DASHBOARD_PATH,
  parameterOf,
  teamOf,
  viewerOf,
  type DashboardEnv,
} from "./request/dashboard.http.ts";

/** Pages on which a person corrects what is hidden in a photo. */
export const editorRoutes = new Hono<DashboardEnv>();

editorRoutes.get("/:mediaId/edit", async (c) => {
  const config = c.get("config");
  const owned = { accountId: teamOf(c).accountId, mediaId: parameterOf(c, "mediaId") };
  const database = openDatabase(config.DB, "primary");
  const [row, found, thresholds] = await Promise.all([
    findMedia(database, owned),
    describeDetections(database, owned),
    thresholdsOf(detectorSettings(config)),
  ]);
  if (row?.mediaType !== "image") throw notFound("Only photos can be edited here.");
  return c.html(
    <EditorPage
      viewer={viewerOf(c)}
      title={row.filename}
      mediaId={row.id}
      sourcePath={`${DASHBOARD_PATH}/media/${found.revision_of ?? row.id}/source`}
      sourceUntilMs={found.source_available_until === null ? null : Date.parse(found.source_available_until)}
      data={editorData(found, thresholds)}
    />,
  );
});

editorRoutes.post(
  "/:mediaId/revisions",
  rateLimit(),
  async (c) => await receiveRevision(c, parameterOf(c, "mediaId")),
);
