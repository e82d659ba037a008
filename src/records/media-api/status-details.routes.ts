import { createRoute } from "@hono/zod-openapi";
import { callerOf } from "../accounts/caller.ts";
import { mediaPathSchema } from "../media/media.schemas.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import { createRouter, noteInLog } from "../../ground/platform/http.ts";
import { jsonResponse, responsesOf } from "../../ground/platform/openapi.ts";
import { emptyQuerySchema } from "../../ground/platform/unknown-names.ts";
import { statusDetailsSchema } from "./status-details.schemas.ts";
import { describeStatus } from "./status-details.service.ts";

const getStatusDetails = createRoute({
  method: "get",
  path: "/media/{mediaId}/status-details",
  operationId: "getStatusDetails",
  tags: ["extension"],
  summary: "See the progress of one media item, or why it failed",
  description:
    "Progress, current step, the reason for a failure and what to do about it, and when the files are deleted.",
  request: { params: mediaPathSchema, query: emptyQuerySchema },
  responses: {
    200: jsonResponse(statusDetailsSchema, "Progress of the media item."),
    ...responsesOf(401, 404, 422, 429, 500),
  },
});

export const statusRoutes = createRouter();

statusRoutes.openapi(getStatusDetails, async (c) => {
  const { mediaId } = c.req.valid("param");
  noteInLog(c, { mediaId });
  const database = openDatabase(c.get("config").DB, "primary");
  return c.json(await describeStatus(database, { accountId: callerOf(c).accountId, mediaId }), 200);
});
