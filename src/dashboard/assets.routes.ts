import { Hono } from "hono";
import { etag } from "hono/etag";
import { SCRIPTS } from "./parts/scripts.ts";
import style from "./assets/dashboard.css";
import editorStyle from "./assets/editor.css";
import type { DashboardEnv } from "./request/dashboard.http.ts";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0b5d5a"/><path d="M6 8h12M6 12h12M6 16h7" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>`;

/** Style and scripts, asked again each time and answered 304 while they are the same. */
export const assetRoutes = new Hono<DashboardEnv>();

assetRoutes.use(etag());
for (const [name, text] of Object.entries({ "dashboard.css": style, "editor.css": editorStyle })) {
  assetRoutes.get(`/${name}`, (c) => asset(text, "text/css; charset=utf-8", c.body.bind(c)));
}
for (const [name, script] of Object.entries(SCRIPTS)) {
  assetRoutes.get(`/${name}`, (c) => asset(script, "text/javascript; charset=utf-8", c.body.bind(c)));
}
assetRoutes.get("/icon.svg", (c) => asset(ICON, "image/svg+xml", c.body.bind(c)));

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
