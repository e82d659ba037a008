import { Hono } from "hono";
import { callerOf } from "../../../records/accounts/caller.ts";
import { viewerOf, type DashboardEnv } from "../request/dashboard.http.ts";
import { noticeOf } from "../request/notices.ts";
import { readOverview, readUsage } from "./overview.data.ts";
import { readUploadOptions } from "../upload/upload.data.ts";
import { OverviewPage } from "./overview.page.tsx";
import { PlanPage } from "./plan.page.tsx";

export const overviewRoutes = new Hono<DashboardEnv>();

overviewRoutes.get("/", async (c) => {
  const config = c.get("config");
  const [overview, uploadOptions] = await Promise.all([
    readOverview(config, callerOf(c)),
    readUploadOptions(config),
  ]);
  return c.html(
    <OverviewPage
      viewer={viewerOf(c)}
      overview={overview}
      uploadOptions={uploadOptions}
      notice={noticeOf(c.req.query("notice"))}
    />,
  );
});

export const planRoutes = new Hono<DashboardEnv>();

planRoutes.get("/", async (c) => {
  const caller = callerOf(c);
  const usage = await readUsage(c.get("config"), caller);
  return c.html(<PlanPage viewer={viewerOf(c)} caller={caller} usage={usage} />);
});
