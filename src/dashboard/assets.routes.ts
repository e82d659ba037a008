import { Hono } from "hono";
import { etag } from "hono/etag";
import { SCRIPTS } from "./parts/scripts.ts";
import { STYLES } from "./parts/styles.ts";
import type { DashboardEnv } from "./request/dashboard.http.ts";

/** Style and scripts, asked again each time and answered 304 while they are the same. */
export const assetRoutes = new Hono<DashboardEnv>();

assetRoutes.use(etag());
for (const [name, style] of Object.entries(STYLES)) {
  assetRoutes.get(`/${name}`, (c) => asset(tightenedStyle(style), "text/css; charset=utf-8", c.body.bind(c)));
}
for (const [name, script] of Object.entries(SCRIPTS)) {
  assetRoutes.get(`/${name}`, (c) =>
    asset(tightenedScript(script), "text/javascript; charset=utf-8", c.body.bind(c)),
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

/** A script as it is sent: what is said to its authors, and indentation, take two fifths of it. */
function tightenedScript(script: string): string {
  return script.replaceAll(/^[ \t]*(?:\/\*(?:(?!\*\/)[^])*\*\/|\/\/.*)\n/gm, "").replaceAll(/^[ \t]+/gm, "");
}

/** A style as it is sent, without comments and without the spaces that say nothing. */
function tightenedStyle(style: string): string {
  return style
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s*([{};,])\s*/g, "$1")
    .replaceAll(/:\s+/g, ":");
}
