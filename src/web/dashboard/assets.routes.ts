import { Hono } from "hono";
import { notFound } from "../../ground/platform/errors.ts";
import { findBrowserFile } from "../style/browser-files.ts";
import { FILES } from "./parts/files.generated.ts";
import type { DashboardEnv } from "./request/dashboard.http.ts";

/** Scripts and styles, which need no session. */
export const assetRoutes = new Hono<DashboardEnv>();

assetRoutes.get("/:name", (c) => {
  const file = findBrowserFile(FILES, c.req.param("name"));
  if (file === undefined) throw notFound("There is nothing at this address.");
  return c.body(file.text, 200, file.headers);
});
