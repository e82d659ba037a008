import { etag } from "hono/etag";
import { createRouter } from "../../ground/platform/http.ts";
import { publicKeys } from "./report-keys.service.ts";

/** Replaced keys stay listed, so a cached list can lack only keys that are younger than this. */
const CACHED_SECONDS = 300;

/** The public keys that verify reports (RFC 7517), for anyone. */
export const jwksRoutes = createRouter();

jwksRoutes.get("/.well-known/jwks.json", etag(), async (c) => {
  const keys = await publicKeys(c.get("config"));
  c.header("Cache-Control", `public, max-age=${CACHED_SECONDS}`);
  c.header("Access-Control-Allow-Origin", "*");
  return c.body(JSON.stringify(keys), 200, { "Content-Type": "application/jwk-set+json" });
});
