import { Hono } from "hono";
import { callerOf } from "../../../records/accounts/caller.ts";
import { viewerOf, type DashboardEnv } from "../request/dashboard.http.ts";
import { noticeOf } from "../request/notices.ts";
import { readOverview } from "./overview.data.ts";
import { readUploadOptions } from "../upload/upload-options.data.ts";
import { OverviewPage } from "./overview.page.tsx";

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
