import { createRoute } from "@hono/zod-openapi";
import { callerOf } from "../accounts/caller.ts";
import { isoDateTime, nowMs } from "../../ground/platform/clock.ts";
import { API_BASE_PATH, createRouter, originOf } from "../../ground/platform/http.ts";
import { jsonResponse, responsesOf } from "../../ground/platform/openapi.ts";
import {
  deletionCursorOf,
  deletionResponse,
  deletionsQuerySchema,
  deletionsSchema,
  positionOf,
} from "./deletions.schemas.ts";
import { proveDeletions } from "./deletions.service.ts";

const list = createRoute({
  method: "get",
  path: "/deletions",
  operationId: "listDeletions",
  tags: ["extension"],
  summary: "Prove deletions",
  description:
    "Lists what was deleted, when and by whom, newest first. Each request checks storage and the database for anything left of each media item. Records are kept for a year. They contain a digest of the file name, and the name itself if the account has opted in.",
  request: { query: deletionsQuerySchema },
  responses: {
    200: jsonResponse(deletionsSchema, "A page of deletions."),
    ...responsesOf(401, 422, 429, 500),
  },
});

export const deletionsRoutes = createRouter();

deletionsRoutes.openapi(list, async (c) => {
  const query = c.req.valid("query");
  const { media_id: mediaIds, file_name: fileName, request_id: requestId, cursor, per_page: limit } = query;
  const { deletions, next } = await proveDeletions(
    c.get("config"),
    { accountId: callerOf(c).accountId, mediaIds, requestId, fileName },
    { after: cursor === undefined ? undefined : positionOf(cursor), limit },
  );
  const answer = {
    checked_at: isoDateTime(nowMs()),
    data: deletions.map(deletionResponse),
    links: { next: next === undefined ? null : pageUrl(originOf(c), c.req.query(), deletionCursorOf(next)) },
  };
  return c.json(answer, 200);
});

/** The URL of the same query, starting at another position. */
function pageUrl(origin: string, query: Readonly<Record<string, string>>, cursor: string): string {
  const parameters = new URLSearchParams({ ...query, cursor });
  return `${origin}${API_BASE_PATH}/deletions?${parameters.toString()}`;
}
