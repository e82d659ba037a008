import { Hono } from "hono";
import { detectorSettings } from "../detection/detector-settings.ts";
import { unservedCategories } from "../detection/served-categories.ts";
import { callerOf } from "../accounts/caller.ts";
import { viewerOf, type DashboardEnv } from "./request/dashboard.http.ts";
import { noticeOf } from "./request/notices.ts";
import { readOverview } from "./data/overview.data.ts";
import { OverviewPage } from "./pages/overview.page.tsx";

export const overviewRoutes = new Hono<DashboardEnv>();

overviewRoutes.get("/", async (c) => {
  const config = c.get("config");
  const [overview, { served }] = await Promise.all([
    readOverview(config, callerOf(c)),
    unservedCategories(detectorSettings(config), []),
  ]);
  return c.html(
    <OverviewPage
      viewer={viewerOf(c)}
      overview={overview}
      served={served}
      maxFileBytes={config.MAX_FILE_BYTES}
      notice={noticeOf(c.req.query("notice"))}
    />,
  );
});
