import { MINUTE_MS, SECOND_MS, nowMs } from "../platform/clock.ts";
import { openDatabase } from "../platform/database.ts";
import { unauthorized } from "../platform/errors.ts";
import type { Caller, HttpContext, HttpMiddleware } from "../platform/http.ts";
import { sha256Hex } from "../platform/ids.ts";
import { faultFields, log } from "../platform/log.ts";
import { findKey, touchKey } from "./accounts.repository.ts";
import { bearerToken } from "./api-keys.ts";
import { effectiveLimits } from "./plans.ts";

const CACHE_LIFETIME_MS = 5 * SECOND_MS;
const CACHE_MAX_KEYS = 10_000;

const recentCallers = new Map<string, { caller: Caller; freshUntilMs: number }>();

/**
 * Finds the caller by its API key, or answers 401.
 *
 * @param mayBeCached which requests a lookup of the last seconds may answer: those alone whose own read checks the
 *   key again
 */
export function authenticate(options: { mayBeCached: (c: HttpContext) => boolean }): HttpMiddleware {
  return async function authenticateRequest(c, next) {
    const token = bearerToken(c.req.header("Authorization"));
    if (token === null) throw unauthorized();
    const sha256 = await sha256Hex(token);
    c.set("caller", (options.mayBeCached(c) ? recentCaller(sha256) : undefined) ?? (await lookUp(c, sha256)));
    await next();
  };
}

function recentCaller(sha256: string): Caller | undefined {
  const entry = recentCallers.get(sha256);
  return entry !== undefined && entry.freshUntilMs > nowMs() ? entry.caller : undefined;
}

async function lookUp(c: HttpContext, sha256: string): Promise<Caller> {
  const binding = c.get("config").DB;
  // A key made a moment ago may not have reached the nearest replica.
  const key =
    (await findKey(openDatabase(binding, "any"), sha256)) ??
    (await findKey(openDatabase(binding, "primary"), sha256));
  if (key === undefined || key.revokedAt !== null) {
    recentCallers.delete(sha256);
    throw unauthorized();
  }
  const { keyId, accountId, plan, anchorDay } = key;
  const caller = { keyId, accountId, plan, anchorDay, ...effectiveLimits(plan, key) };
  if (recentCallers.size >= CACHE_MAX_KEYS) recentCallers.clear();
  recentCallers.set(sha256, { caller, freshUntilMs: nowMs() + CACHE_LIFETIME_MS });
  if (key.lastUsedAt === null || key.lastUsedAt < nowMs() - MINUTE_MS) {
    c.executionCtx.waitUntil(noteUse(binding, keyId));
  }
  return caller;
}

async function noteUse(binding: D1Database, keyId: string): Promise<void> {
  try {
    await touchKey(openDatabase(binding, "primary"), keyId, nowMs());
  } catch (fault) {
    log("warn", "api_key.touch_failed", { keyId, ...faultFields(fault) });
  }
}
