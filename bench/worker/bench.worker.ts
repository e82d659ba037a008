import { Hono } from "hono";
import { app } from "../../src/entries/api.app.ts";
import { RateLimiter } from "../../src/intake/limits/rate-limit.durable-object.ts";
import { measureClaims } from "./claims.ts";
import { measureMove } from "./moves.ts";

export { RateLimiter };

const bare = new Hono<{ Bindings: { DB: D1Database; DB_2?: D1Database } }>();

/** The baseline for a poll: one read by primary key from the same table, and nothing else. */
bare.get("/bare/media/:mediaId", async (c) => {
  const row = await c.env.DB.prepare("SELECT * FROM media WHERE id = ?1")
    .bind(c.req.param("mediaId"))
    .first();
  return row === null ? c.notFound() : c.json(row);
});

bare.get("/bare/claims", async (c) => {
  const waiting = Number(c.req.query("waiting"));
  const blocks = Number(c.req.query("blocks"));
  return c.json(await measureClaims(c.env.DB, { waiting, blocks }));
});

bare.get("/bare/move", async (c) => {
  const { DB_2: second } = c.env;
  return second === undefined ? c.notFound() : c.json(await measureMove({ ...c.env, DB_2: second }));
});

export default {
  fetch(request, bindings, context) {
    const { pathname } = new URL(request.url);
    return pathname.startsWith("/bare/")
      ? bare.fetch(request, bindings, context)
      : app.fetch(request, bindings, context);
  },
} satisfies ExportedHandler<{ DB: D1Database }>;
