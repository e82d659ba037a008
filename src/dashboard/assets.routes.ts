import { Hono } from "hono";
import { etag } from "hono/etag";
import { SCRIPTS } from "./parts/scripts.ts";
import { STYLES } from "./parts/styles.ts";
import { tightenScript, tightenStyle } from "../style/tighten.ts";
import type { DashboardEnv } from "./request/dashboard.http.ts";

/** Style and scripts, asked again each time and answered 304 while they are the same. */
export const assetRoutes = new Hono<DashboardEnv>();

assetRoutes.use(etag());
for (const [name, style] of Object.entries(STYLES)) {
  assetRoutes.get(`/${name}`, (c) => asset(tightenStyle(style), "text/css; charset=utf-8", c.body.bind(c)));
}
for (const [name, script] of Object.entries(SCRIPTS)) {
  assetRoutes.get(`/${name}`, (c) =>
    asset(tightenScript(script), "text/javascript; charset=utf-8", c.body.bind(c)),
  );
}

function asset(
  text: string,
  contentType: string,
  body: (text: string, status: 200, headers: Record<string, string>) => Response,
): Response {
  return body(text, 200, {
    "Content-Type": contentType,
    "Cache-Control": "public, max-age=0, must-revalidate",
  });
}
