import { etag } from "hono/etag";
import { createRouter } from "../../ground/platform/http.ts";
import { publicKeys } from "./report-keys.service.ts";

/** A replaced key stays listed, so a cached list misses no more than a key that is younger than this. */
const CACHED_SECONDS = 300;

/** The public keys that verify reports (RFC 7517), for anyone. */
export const jwksRoutes = createRouter();

jwksRoutes.get("/.well-known/jwks.json", etag(), async (c) => {
  const keys = await publicKeys(c.get("config"));
  c.header("Cache-Control", `public, max-age=${CACHED_SECONDS}`);
  c.header("Access-Control-Allow-Origin", "*");
  return c.body(JSON.stringify(keys), 200, { "Content-Type": "application/jwk-set+json" });
});
