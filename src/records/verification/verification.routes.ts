import { createRoute } from "@hono/zod-openapi";
import { callerOf } from "../accounts/caller.ts";
import { mediaPathSchema } from "../media/media.schemas.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import { createRouter, noteInLog } from "../../ground/platform/http.ts";
import { jsonResponse, responsesOf } from "../../ground/platform/openapi.ts";
import { emptyQuerySchema } from "../../ground/platform/unknown-names.ts";
import { verificationSchema } from "./verification.schemas.ts";
import { describeVerification } from "./verification.service.ts";

const getVerification = createRoute({
  method: "get",
  path: "/media/{mediaId}/verification",
  operationId: "getVerification",
  tags: ["extension"],
  summary: "Read what a second reading found",
  description:
    "After the redacted file is stored, the same models read it again at the same sensitivity. Lists what they found that should not be visible. What was left visible on purpose is no finding, and findings do not change the media item's status. 404 until the media is completed.",
  request: { params: mediaPathSchema, query: emptyQuerySchema },
  responses: {
    200: jsonResponse(verificationSchema, "The second reading."),
    ...responsesOf(401, 404, 422, 429, 500),
  },
});

export const verificationRoutes = createRouter();

verificationRoutes.openapi(getVerification, async (c) => {
  const { mediaId } = c.req.valid("param");
  noteInLog(c, { mediaId });
  const database = openDatabase(c.get("config").DB, "primary");
  return c.json(await describeVerification(database, { accountId: callerOf(c).accountId, mediaId }), 200);
});
