import type { Actor, Deed } from "../audit/audit.repository.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import type { HttpExchange } from "../../ground/platform/http.ts";
import type { LogFields } from "../../ground/platform/log.ts";
import type { PlanLimits } from "../../ground/vocabulary/plans.ts";

/** Whether an account's outputs are read again unless an upload says otherwise. Null for the default of their type. */
interface VerificationSetting {
  readonly verifyPhotos: boolean | null;
  readonly verifyVideos: boolean | null;
}

/** Who makes a request, and the limits of the account. Authentication sets it, and everything after it reads it. */
export interface Caller extends PlanLimits, Partial<VerificationSetting> {
  readonly accountId: string;
  /** The API key of the request, or the user signed in to the dashboard. */
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

/** A caller's fields in the log. */
export function identityOf({ accountId, keyId, userId }: Caller): LogFields {
  return { accountId, keyId, userId };
}

/** The caller that authentication found. @throws if the route did not authenticate */
export function callerOf(c: HttpExchange): Caller {
  const caller = c.get("caller");
  if (caller === undefined) throw new Error("The route reads its caller without authentication.");
  return caller;
}

/** An action of a caller, as the audit trail records it. */
export function deedOf(caller: Caller, requestId: string, atMs: number = nowMs()): Deed {
  return { accountId: caller.accountId, actor: actorOf(caller), requestId, nowMs: atMs };
}

function actorOf({ keyId, userId }: Caller): Actor {
  if (keyId !== undefined) return { kind: "api_key", id: keyId };
  if (userId !== undefined) return { kind: "user", id: userId };
  throw new Error("The caller is neither a key nor a user.");
}
