import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { ServiceError } from "../platform/errors.ts";
import type { Log } from "../platform/log.ts";

/** What every route knows of its request. */
export interface AppTypes {
  readonly Bindings: HttpBindings;
  readonly Variables: { readonly requestId: string };
}

export type Ctx = Context<AppTypes>;

/** How a request is logged and counted. */
export interface Watch {
  readonly log: Log;
  readonly event: string;
  /** Fields of the log line, which may be filled in while the request is answered. An `outcome` among them counts. */
  readonly seen: object & { outcome?: string };
  readonly count: (outcome: string, seconds: number) => void;
}

/** Answers a request, then counts and logs its outcome and how long it took. */
export async function watched(c: Ctx, watch: Watch, answer: () => Promise<Response>): Promise<Response> {
  const { log, event, seen, count } = watch;
  const start = performance.now();
  let outcome = "completed";
  try {
    return await answer();
  } catch (error) {
    outcome = error instanceof ServiceError ? error.code : "server_error";
    throw error;
  } finally {
    const seconds = (performance.now() - start) / 1000;
    const counted = seen.outcome ?? outcome;
    count(counted, seconds);
    const durationMs = Math.round(seconds * 1000);
    log.info({ event, requestId: c.get("requestId"), ...seen, outcome: counted, durationMs });
  }
}
