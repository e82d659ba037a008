import { Hono } from "hono";
import { etag } from "hono/etag";
import { SCRIPTS } from "./parts/scripts.ts";
import style from "./assets/dashboard.css";
import editorStyle from "./assets/editor.css";
import type { DashboardEnv } from "./request/dashboard.http.ts";

/** Style and scripts, asked again each time and answered 304 while they are the same. */
export const assetRoutes = new Hono<DashboardEnv>();

assetRoutes.use(etag());
for (const [name, text] of Object.entries({ "dashboard.css": style, "editor.css": editorStyle })) {
  assetRoutes.get(`/${name}`, (c) => asset(text, "text/css; charset=utf-8", c.body.bind(c)));
}
for (const [name, script] of Object.entries(SCRIPTS)) {
  assetRoutes.get(`/${name}`, (c) => asset(script, "text/javascript; charset=utf-8", c.body.bind(c)));
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
