import { Hono } from "hono";
import { detectorSettings } from "../../../work/detection/detector-settings.ts";
import { thresholdsOf } from "../../../work/detection/served-categories.ts";
import { rateLimit } from "../../../intake/limits/rate-limit.middleware.ts";
import { findOrder } from "../../../records/masking/masking-options.repository.ts";
import { findMedia, type MediaOwnership } from "../../../records/media/media.repository.ts";
import { noSuchMedia } from "../../../records/media/media.service.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { describeDetections } from "../../../records/media-api/detections.service.ts";
import { detectionsStream } from "../../../records/media-api/detections-stream.ts";
import { shownPartOf } from "../../../intake/revisions/shown-part.service.ts";
import { isWaitingForReview } from "../../../intake/revisions/revision.repository.ts";
import { receiveRevision } from "../../../intake/revisions/revision.routes.ts";
import { describeVerification } from "../../../records/verification/verification.service.ts";
import { editorData } from "./editor.data.ts";
import { videoEditorData } from "./video-editor.data.ts";
import { EditorPage } from "./editor.page.tsx";
import { VideoEditorPage } from "./video-editor.page.tsx";
import {
  DASHBOARD_PATH,
  parameterOf,
  teamOf,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
} from "../request/dashboard.http.ts";
import { checkFollowOrder } from "../../../intake/revisions/follow.schemas.ts";
import { followInVideo } from "../../../intake/revisions/follow.service.ts";
import { readJsonBody } from "../../../intake/uploads/body/json-body.ts";

/** The editors of photos and videos. */
export const editorRoutes = new Hono<DashboardEnv>();

editorRoutes.get("/:mediaId/edit", async (c) => {
  const config = c.get("config");
  const owned = ownedOf(c);
  const database = openDatabase(config.DB, "primary");
  const [row, isWaiting, found, thresholds, order, { findings }] = await Promise.all([
    findMedia(database, owned),
    isWaitingForReview(database, owned),
    describeDetections(database, owned),
    thresholdsOf(detectorSettings(config)),
    findOrder(database, owned),
    describeVerification(database, owned),
  ]);
  if (row === undefined) throw noSuchMedia();
  const edited = {
    viewer: viewerOf(c),
    title: row.filename,
    mediaId: row.id,
    isWaiting,
    findings,
    sourcePath: `${DASHBOARD_PATH}/media/${found.revision_of ?? row.id}/source`,
    sourceUntilMs: found.source_available_until === null ? null : Date.parse(found.source_available_until),
  };
  if (row.mediaType === "image")
    return c.html(<EditorPage edited={{ ...edited, data: editorData(found, { thresholds, order }) }} />);
  c.set("policy", "film");
  const data = videoEditorData(row, found, { thresholds, order });
  return c.html(<VideoEditorPage edited={{ ...edited, data }} />);
});

editorRoutes.get("/:mediaId/edit/detections", async (c) => {
  const config = c.get("config");
  const owned = ownedOf(c);
  const answer = await describeDetections(openDatabase(config.DB, "primary"), owned);
  if (answer.duration_seconds === null) return c.json(answer);
  return c.body(detectionsStream(config.MEDIA, owned, answer), 200, { "Content-Type": "application/json" });
});

editorRoutes.get("/:mediaId/edit/shown-part", async (c) =>
  c.json(await shownPartOf(c.get("config"), ownedOf(c)), 200),
);

editorRoutes.post("/:mediaId/revisions", rateLimit(), async (c) => {
  const owned = ownedOf(c);
  // A correction of a file that waits for review also ends the review.
  const isWaiting = await isWaitingForReview(openDatabase(c.get("config").DB, "primary"), owned);
  return await receiveRevision(c, owned.mediaId, isWaiting ? "corrected" : undefined);
});

/** Follows a box through a video, for the video editor while a person draws. */
editorRoutes.post("/:mediaId/edit/follow", rateLimit(), async (c) => {
  const order = checkFollowOrder(await readJsonBody(c));
  return c.json(await followInVideo(c.get("config"), ownedOf(c), order), 200);
});

function ownedOf(c: DashboardContext): MediaOwnership {
  return { accountId: teamOf(c).accountId, mediaId: parameterOf(c, "mediaId") };
}
