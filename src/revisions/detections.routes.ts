import { createRoute } from "@hono/zod-openapi";
import { callerOf } from "../accounts/caller.ts";
import { mediaPathSchema } from "../media/media.schemas.ts";
import { openDatabase } from "../platform/database.ts";
import { createRouter, noteInLog } from "../platform/http.ts";
import { jsonResponse, responsesOf } from "../platform/openapi.ts";
import { emptyQuerySchema } from "../platform/unknown-names.ts";
import { detectionsSchema } from "./detections.schemas.ts";
import { describeDetections } from "./detections.service.ts";

const getDetections = createRoute({
  method: "get",
  path: "/media/{mediaId}/detections",
  operationId: "getDetections",
  tags: ["extension"],
  summary: "See what was found in one media item",
  description:
    "Where things are, how sure the detector is and which of them are redacted, so that a person can correct it by a revision. 404 until the media is completed. No pixels are kept for this, and it stays when the files are deleted.",
  request: { params: mediaPathSchema, query: emptyQuerySchema },
  responses: {
    200: jsonResponse(detectionsSchema, "What was found."),
    ...responsesOf(401, 404, 422, 429, 500),
  },
});

export const detectionsRoutes = createRouter();

detectionsRoutes.openapi(getDetections, async (c) => {
  const { mediaId } = c.req.valid("param");
  noteInLog(c, { mediaId });
  const database = openDatabase(c.get("config").DB, "primary");
  return c.json(await describeDetections(database, { accountId: callerOf(c).accountId, mediaId }), 200);
});
