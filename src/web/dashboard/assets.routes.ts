import { Hono } from "hono";
import { notFound } from "../../ground/platform/errors.ts";
import { findBrowserFile } from "../style/browser-files.ts";
import { ENGINE_FILES } from "./editor/files.generated.ts";
import { FILES } from "./parts/files.generated.ts";
import type { DashboardEnv } from "./request/dashboard.http.ts";

const ENGINE_TYPES: Readonly<Record<string, string>> = {
  [ENGINE_FILES.worker]: "text/javascript; charset=utf-8",
  [ENGINE_FILES.core]: "text/javascript; charset=utf-8",
  ...Object.fromEntries(ENGINE_FILES.wasm.map((name) => [name, "application/octet-stream"])),
};

/** Scripts, styles and the video engine, which need no session. */
export const assetRoutes = new Hono<DashboardEnv>();

assetRoutes.get("/:name", (c) => {
  const file = findBrowserFile(FILES, c.req.param("name"));
  if (file === undefined) throw notFound("There is nothing at this address.");
  return c.body(file.text, 200, file.headers);
});

assetRoutes.get("/engine/:name", async (c) => {
  const name = c.req.param("name");
  const type = Object.hasOwn(ENGINE_TYPES, name) ? ENGINE_TYPES[name] : undefined;
  if (type === undefined) throw notFound("There is nothing at this address.");
  // Only the path says which asset is meant.
  const stored = await c.get("config").ASSETS.fetch(`https://assets.invalid/${name}`);
  if (!stored.ok || stored.body === null)
    throw new Error(`The static asset ${name} answered ${stored.status}.`);
  c.set("policy", "engine");
  return c.body(stored.body, 200, {
    "Content-Type": type,
    "Cache-Control": "public, max-age=31536000, immutable",
  });
});
