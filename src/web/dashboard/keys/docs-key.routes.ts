import { Hono } from "hono";
import { insertKey } from "../../../records/accounts/accounts.repository.ts";
import { newApiKey } from "../../../records/accounts/api-keys.ts";
import { DAY_MS, isoDateTime, nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { newId } from "../../../ground/platform/ids.ts";
import { csrfProtected } from "../request/csrf.ts";
import { deedBy, forbidden, ownersOnly, type DashboardEnv } from "../request/dashboard.http.ts";
import { signedInOnly, withTeamOnly } from "../request/viewer.ts";

const LIFETIME_MS = DAY_MS;

/**
 * Test keys for the examples of the documentation. Its pages are the same for everybody, so their script asks here who is signed in and
 * requests a key. An existing key cannot be shown, because only its hash is stored.
 */
export function docsKeyRoutes(maxKeys: number): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();
  routes.get("/", (c) => {
    const viewer = c.get("viewer");
    if (viewer?.team === undefined || viewer.team.suspendedAt !== null)
      return c.json({ state: "signed_out" });
    if (viewer.team.role !== "owner") return c.json({ state: "not_owner", team: viewer.team.name });
    return c.json({ state: "ready", team: viewer.team.name, csrf_token: viewer.csrfToken });
  });
  routes.post("/", signedInOnly, csrfProtected, withTeamOnly, ownersOnly, async (c) => {
    const { secret, prefix, sha256 } = await newApiKey();
    const expiresAt = nowMs() + LIFETIME_MS;
    const key = { id: newId("apiKey"), name: "Docs", prefix, sha256, scopes: null, expiresAt };
    const database = openDatabase(c.get("config").MAIN_DB, "primary");
    const isKept = await insertKey(database, key, { deed: deedBy(c), limit: maxKeys });
    if (!isKept) throw forbidden(`The team has ${maxKeys} keys. Revoke one in the dashboard first.`);
    return c.json({ api_key: secret, expires_at: isoDateTime(expiresAt) }, 201);
  });
  return routes;
}
