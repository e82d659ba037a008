import { createRoute } from "@hono/zod-openapi";
import { callerOf } from "../accounts/caller.ts";
import { mediaPathSchema } from "../media/media.schemas.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import { createRouter, noteInLog } from "../../ground/platform/http.ts";
import { jsonResponse, responsesOf } from "../../ground/platform/openapi.ts";
import { filterOf } from "./detections-filter.ts";
import { detectionsQuerySchema, detectionsSchema } from "./detections.schemas.ts";
import { describeDetections } from "./detections.service.ts";
import { detectionsStream } from "./detections-stream.ts";

const getDetections = createRoute({
  method: "get",
  path: "/media/{mediaId}/detections",
  operationId: "getDetections",
  tags: ["extension"],
  summary: "List the detections of one media item",
  description:
    "Lists all detections: where they are, how confident the detector is, and whether they are redacted, so that you can correct them with a revision. Filter with `redacted` and `category`. 404 until the media is completed. The list contains no pixels and remains available after the files are deleted.",
  request: { params: mediaPathSchema, query: detectionsQuerySchema },
  responses: {
    200: jsonResponse(detectionsSchema, "What was found."),
    ...responsesOf(401, 404, 422, 429, 500),
  },
});

export const detectionsRoutes = createRouter();

detectionsRoutes.openapi(getDetections, async (c) => {
  const { mediaId } = c.req.valid("param");
  noteInLog(c, { mediaId });
  const config = c.get("config");
  const database = openDatabase(config.DB, "primary");
  const owned = { accountId: callerOf(c).accountId, mediaId };
  const isListed = filterOf(c.req.valid("query"));
  const answer = await describeDetections(database, owned, isListed);
  const whole = c.json(answer, 200);
  if (answer.duration_seconds === null) return whole;
  // The same response as a stream, which the typed response cannot express.
  const stream = detectionsStream(config.MEDIA, { ...owned, isListed }, answer);
  return c.body(stream, 200, { "Content-Type": "application/json" }) as unknown as typeof whole;
});
