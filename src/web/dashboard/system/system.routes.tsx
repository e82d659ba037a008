import { Hono } from "hono";
import { z } from "zod";
import { requestRedrive } from "../../../records/dead-letters/dead-letters.repository.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { databasesOf } from "../../../ground/platform/databases.ts";
import { notFound } from "../../../ground/platform/errors.ts";
import { readSystem } from "./system.data.ts";
import { SystemPage } from "./system.page.tsx";
import { DASHBOARD_PATH, formOf, viewerOf, type DashboardEnv } from "../request/dashboard.http.ts";
import { noticeOf, withNotice } from "../request/notices.ts";

const redriveSchema = z.object({ message: z.string().min(1).max(200) });

/** The state of the service over all accounts, for its operators. Everybody else gets 404. */
export const systemRoutes = new Hono<DashboardEnv>();

systemRoutes.use(async function operatorOnly(c, next) {
  if (!viewerOf(c).isOperator) throw notFound("There is nothing at this address.");
  await next();
});

systemRoutes.get("/", async (c) =>
  c.html(
    <SystemPage
      viewer={viewerOf(c)}
      system={await readSystem(c.get("config"))}
      notice={noticeOf(c.req.query("notice"))}
    />,
  ),
);

systemRoutes.post("/dead-letters/redrive", async (c) => {
  const { data } = await formOf(c, redriveSchema);
  const databases = data === undefined ? [] : databasesOf(c.get("config"));
  const asked = await Promise.all(
    databases.map(
      async (binding) => await requestRedrive(openDatabase(binding, "primary"), data?.message ?? "", nowMs()),
    ),
  );
  if (asked.flat().length === 0) throw notFound("There is no such dead letter.");
  return c.redirect(withNotice(`${DASHBOARD_PATH}/system`, "redrive_requested"), 303);
});
