import { Hono } from "hono";
import { rateLimit } from "../../../intake/limits/rate-limit.middleware.ts";
import { checkFollowOrder } from "../../../intake/revisions/follow.schemas.ts";
import { followInVideo } from "../../../intake/revisions/follow.service.ts";
import { readJsonBody } from "../../../intake/uploads/body/json-body.ts";
import { parameterOf, teamOf, type DashboardEnv } from "../request/dashboard.http.ts";

/** Follows a box through a video, for the video editor while a person draws. */
export const followRoutes = new Hono<DashboardEnv>();

followRoutes.post("/:mediaId/edit/follow", rateLimit(), async (c) => {
  const order = checkFollowOrder(await readJsonBody(c));
  const owned = { accountId: teamOf(c).accountId, mediaId: parameterOf(c, "mediaId") };
  return c.json(await followInVideo(c.get("config"), owned, order), 200);
});
