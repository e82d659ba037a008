import { createRoute, z } from "@hono/zod-openapi";
import { accepts } from "hono/accepts";
import { callerOf } from "../accounts/caller.ts";
import { mediaPathSchema } from "../media/media.schemas.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import { createRouter, noteInLog } from "../../ground/platform/http.ts";
import { COMMON_HEADERS, responsesOf } from "../../ground/platform/openapi.ts";
import { reportCsv } from "./report-csv.ts";
import { signReport } from "./report-keys.service.ts";
import { reportQuerySchema, signedReportSchema } from "./report.schemas.ts";
import { describeReport, findReported } from "./report.service.ts";

/** The media type of a JSON Web Signature in compact form (RFC 7515 §9.2.1). */
const JWS_TYPE = "application/jose";
const CSV_TYPE = "text/csv; charset=utf-8";

const getReport = createRoute({
  method: "get",
  path: "/media/{mediaId}/report",
  operationId: "getReport",
  tags: ["extension"],
  summary: "Get the signed report of one media item",
  description:
    "The record of what was done: hashes of both files, models, masks and who decided on them. It is a compact JSON Web Signature (EdDSA, Ed25519), or JSON with `Accept: application/json`. `/.well-known/jwks.json` of this host lists the public keys. `veil verify` checks a report offline. 404 until the media is completed.",
  request: { params: mediaPathSchema, query: reportQuerySchema },
  responses: {
    200: {
      description: "The report.",
      headers: COMMON_HEADERS,
      content: {
        [JWS_TYPE]: { schema: z.string() },
        "application/json": { schema: signedReportSchema },
        "text/csv": { schema: z.string() },
      },
    },
    ...responsesOf(401, 404, 422, 429, 500),
  },
});

export const reportRoutes = createRouter();

reportRoutes.openapi(getReport, async (c) => {
  const { mediaId } = c.req.valid("param");
  noteInLog(c, { mediaId });
  const config = c.get("config");
  const owned = { accountId: callerOf(c).accountId, mediaId };
  const subject = await findReported(openDatabase(config.DB, "primary"), owned);
  c.header("Cache-Control", "private, no-store");
  if (c.req.valid("query").format === "csv")
    return c.body(reportCsv(config.MEDIA, subject), 200, { "Content-Type": CSV_TYPE });
  c.header("Vary", "Accept");
  const payload = await describeReport(config, subject);
  const signature = await signReport(config, JSON.stringify(payload));
  const supports = [JWS_TYPE, "application/json"];
  if (accepts(c, { header: "Accept", supports, default: JWS_TYPE }) === "application/json")
    return c.json({ payload, signature }, 200);
  return c.body(signature, 200, { "Content-Type": JWS_TYPE });
});
