import { Hono } from "hono";
import { rateLimit } from "../limits/rate-limit.middleware.ts";
import { checkFollowOrder } from "../revisions/follow.schemas.ts";
import { followInVideo } from "../revisions/follow.service.ts";
import { readJsonBody } from "../uploads/json-body.ts";
import { parameterOf, teamOf, type DashboardEnv } from "./request/dashboard.http.ts";

/** What the editor of videos asks for while a person draws: a box, followed. */
export const followRoutes = new Hono<DashboardEnv>();

followRoutes.post("/:mediaId/edit/follow", rateLimit(), async (c) => {
  const order = checkFollowOrder(await readJsonBody(c));
  const owned = { accountId: teamOf(c).accountId, mediaId: parameterOf(c, "mediaId") };
  return c.json(await followInVideo(c.get("config"), owned, order), 200);
});
