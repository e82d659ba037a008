import { Hono } from "hono";
import { callerOf } from "../../../records/accounts/caller.ts";
import { viewerOf, type DashboardEnv } from "../request/dashboard.http.ts";
import { readUsage } from "./overview.data.ts";
import { PlanPage } from "./plan.page.tsx";

export const planRoutes = new Hono<DashboardEnv>();

planRoutes.get("/", async (c) => {
  const caller = callerOf(c);
  const usage = await readUsage(c.get("config"), caller);
  return c.html(<PlanPage viewer={viewerOf(c)} caller={caller} usage={usage} />);
});
