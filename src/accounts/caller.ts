import type { Actor, Deed } from "../audit/audit.repository.ts";
import { nowMs } from "../platform/clock.ts";
import type { HttpExchange } from "../platform/http.ts";
import type { LogFields } from "../platform/log.ts";
import type { PlanLimits } from "../vocabulary/plans.ts";

/** Who asks, and what the account may: set by authentication, read by everything after it. */
export interface Caller extends PlanLimits {
  readonly accountId: string;
  /** The API key of the request, or the user who is signed in to the dashboard. */
  readonly keyId?: string;
  readonly userId?: string;
  readonly plan: string;
  readonly anchorDay: number;
}

declare module "hono" {
  interface ContextVariableMap {
    caller?: Caller;
  }
}

/** A caller as the log names it. */
export function identityOf({ accountId, keyId, userId }: Caller): LogFields {
  return { accountId, keyId, userId };
}

/** The caller that authentication found. Throws when a route forgot to authenticate. */
export function callerOf(c: HttpExchange): Caller {
  const caller = c.get("caller");
  if (caller === undefined) throw new Error("The route reads its caller without authentication.");
  return caller;
}

/** A caller's action now, as the audit trail records it. */
export function deedOf(caller: Caller, requestId: string, atMs: number = nowMs()): Deed {
  return { accountId: caller.accountId, actor: actorOf(caller), requestId, nowMs: atMs };
}

function actorOf({ keyId, userId }: Caller): Actor {
  if (keyId !== undefined) return { kind: "api_key", id: keyId };
  if (userId !== undefined) return { kind: "user", id: userId };
  throw new Error("The caller is neither a key nor a user.");
}
