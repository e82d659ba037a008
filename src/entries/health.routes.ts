import { createRouter } from "../ground/platform/http.ts";
import { checkHealth } from "./health.service.ts";

/** Says whether the Worker reaches what it is bound to. Needs no key, tells no secret, and no probe makes it work harder. */
export const healthRoutes = createRouter();

healthRoutes.get("/healthz", async (c) => {
  const health = await checkHealth(c.get("config"));
  c.header("Cache-Control", "no-store");
  return c.json(health, health.status === "ok" ? 200 : 503);
});
