import { MINUTE_MS, isoDateTime, nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import { configOf } from "../../ground/platform/databases.ts";
import { freshnessOfLocations } from "../directory/account-database.ts";
import { unauthorized, type VeilError } from "../../ground/platform/errors.ts";
import { noteInLog, type HttpContext, type HttpMiddleware } from "../../ground/platform/http.ts";
import { sha256Hex } from "../../ground/platform/ids.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { findKey, touchKey, type KeyRow } from "./accounts.repository.ts";
import { bearerToken } from "./api-keys.ts";
import { identityOf, type Caller } from "./caller.ts";
import { keyEnded, mayDo, neededScope, scopeMissing } from "./included-scopes.ts";
import { accountSuspended } from "./suspension.ts";
import { effectiveLimits } from "../../ground/vocabulary/plans.ts";

/** Finds the key with a SHA-256 and its account, including revoked keys. */
export type KeyFinder = (database: Database, sha256: string) => ReturnType<typeof findKey>;

/** Observes key lookups. */
export interface KeyWatcher {
  /** Called before a key is looked up. */
  seen(c: HttpContext, sha256: string): void;
  /** Called if the key is unknown, revoked or expired, or lacks the scope. The response waits for it. */
  refused(c: HttpContext, sha256: string): Promise<void>;
}

/**
 * Identifies the caller by its API key, or responds with 401. Later handlers use the configuration of the account's database.
 *
 * @param keyFinderOf the finder of a route whose own read also finds the key; undefined for all other routes
 */
export function authenticate(options: {
  keyFinderOf: (c: HttpContext) => KeyFinder | undefined;
  watcher: KeyWatcher;
}): HttpMiddleware {
  return async function authenticateRequest(c, next) {
    const authorization = c.req.header("Authorization");
    const token = bearerToken(authorization);
    if (token === null) throw unauthorized(authorization === undefined ? "missing" : "malformed");
    const startedAtMs = nowMs();
    const sha256 = await sha256Hex(token);
    options.watcher.seen(c, sha256);
    const found = await lookUp(c, sha256, options.keyFinderOf(c) ?? findKey);
    if ("refusal" in found) {
      await options.watcher.refused(c, sha256);
      throw found.refusal;
    }
    const { caller } = found;
    noteInLog(c, { authenticationMs: nowMs() - startedAtMs });
    c.set("caller", caller);
    c.set("identity", identityOf(caller));
    await next();
  };
}

/** The caller, or why the request is refused. */
type Found = { readonly caller: Caller } | { readonly refusal: VeilError };

async function lookUp(c: HttpContext, sha256: string, find: KeyFinder): Promise<Found> {
  const config = c.get("config");
  const binding = config.MAIN_DB;
  // A new key may not have reached the nearest replica yet.
  const key =
    (await find(openDatabase(binding, freshnessOfLocations(config)), sha256)) ??
    (await find(openDatabase(binding, "primary"), sha256));
  if (key === undefined) return { refusal: unauthorized("unknown") };
  const refusal = refusalOf(key, { method: c.req.method, path: c.req.path });
  if (refusal !== undefined) return { refusal };
  const { keyId, accountId, plan, anchorDay } = key;
  if (key.lastUsedAt === null || key.lastUsedAt < nowMs() - MINUTE_MS) {
    c.executionCtx.waitUntil(noteUse(binding, keyId));
  }
  c.set("config", configOf(config, key.databaseName));
  const { verifyPhotos, verifyVideos } = key;
  const limits = effectiveLimits(plan, key);
  return { caller: { keyId, accountId, plan, anchorDay, verifyPhotos, verifyVideos, ...limits } };
}

/** Why a key may not make a request now; undefined if it may. */
export function refusalOf(
  key: KeyRow,
  { method, path }: { readonly method: string; readonly path: string },
): VeilError | undefined {
  const { revokedAt, expiresAt, suspendedAt, scopes } = key;
  if (revokedAt !== null) return unauthorized("revoked");
  if (expiresAt !== null && expiresAt <= nowMs()) return keyEnded(isoDateTime(expiresAt));
  if (suspendedAt !== null) return accountSuspended(key);
  const needed = neededScope(method, path);
  return scopes === null || mayDo(scopes, needed) ? undefined : scopeMissing(scopes, needed);
}

async function noteUse(binding: D1Database, keyId: string): Promise<void> {
  try {
    await touchKey(openDatabase(binding, "primary"), keyId, nowMs());
  } catch (error) {
    log("warn", "api_key.touch_failed", { keyId, ...errorFields(error) });
  }
}
