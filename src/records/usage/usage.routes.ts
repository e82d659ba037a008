import { createRoute } from "@hono/zod-openapi";
import { callerOf } from "../accounts/caller.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import { createRouter } from "../../ground/platform/http.ts";
import { jsonResponse, responsesOf } from "../../ground/platform/openapi.ts";
import { emptyQuerySchema } from "../../ground/platform/unknown-names.ts";
import { billingPeriod } from "./billing-period.ts";
import { findConsumption } from "./usage.repository.ts";
import { usageSchema, type UsageResponse } from "./usage.schemas.ts";

const getUsage = createRoute({
  method: "get",
  path: "/usage",
  operationId: "getUsage",
  tags: ["Usage"],
  summary: "Read usage",
  description: "Usage and limits of the account in the current billing period.",
  request: { query: emptyQuerySchema },
  responses: {
    200: jsonResponse(usageSchema, "Usage of the current billing period."),
    ...responsesOf(401, 422, 429, 500),
  },
});

export const usageRoutes = createRouter();

usageRoutes.openapi(getUsage, async (c) => {
  const caller = callerOf(c);
  const period = billingPeriod(nowMs(), caller.anchorDay);
  const consumption = await findConsumption(openDatabase(c.get("config").DB, "primary"), {
    accountId: caller.accountId,
    periodStart: period.start,
  });
  const body: UsageResponse = {
    plan: caller.plan,
    period_start: period.start,
    period_end: period.end,
    images: { used: consumption.image.usedUnits, limit: caller.imagesPerPeriod },
    video_minutes: { used: consumption.video.usedUnits / 100, limit: caller.videoMinutesPerPeriod },
  };
  return c.json(body, 200);
});
