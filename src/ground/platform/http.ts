import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, ErrorHandler, MiddlewareHandler, NotFoundHandler } from "hono";
import { NotConfiguredError, type ApiEnv } from "./env.ts";
import { VeilError, fieldErrors, notFound, validationFailed, overloaded } from "./errors.ts";
import { newId } from "./ids.ts";
import { errorFields, log, type LogFields } from "./log.ts";
import { nowMs, SECOND_MS } from "./clock.ts";
import { RouterByMethod } from "./router.ts";

interface HttpVariables {
  config: ApiEnv;
  requestId: string;
  /** The caller's identity in the log. */
  identity?: LogFields;
  /** Further fields of the request's log event; see `noteInLog`. */
  notes?: Record<string, LogFields[string]>;
}

export interface HttpEnv {
  Bindings: object;
  Variables: HttpVariables;
}

export type HttpContext = Context<HttpEnv>;
/** The part of a context that handlers use. Contexts with more variables are accepted too. */
export type HttpExchange = Pick<HttpContext, "req" | "get" | "header" | "body" | "json" | "executionCtx">;
export type HttpMiddleware = MiddlewareHandler<HttpEnv>;

/** The error message for a fault of the service itself. */
export const SERVER_ERROR_MESSAGE =
  "Something went wrong on our side. Try again. If it keeps happening, contact us with the request ID.";

/** Creates a router that reports schema errors as the contract's 422, or as 404 if the error is in the path. */
export function createRouter<E extends HttpEnv = HttpEnv>(): OpenAPIHono<E> {
  return new OpenAPIHono<E>({
    router: new RouterByMethod(),
    defaultHook: (result) => {
      if (result.success) return;
      if (result.target === "param") throw notFound("There is nothing at this address.");
      throw validationFailed(fieldErrors(result.error));
    },
  });
}

/** Gives each request an ID, adds it to the response, and writes the request's only log event. */
export function requestLog(): HttpMiddleware {
  return async function logRequest(c, next) {
    const requestId = newId("request");
    const startedAtMs = nowMs();
    const notes: Record<string, LogFields[string]> = {};
    c.set("requestId", requestId);
    c.set("notes", notes);
    await next();
    c.header("X-Request-Id", requestId);
    log(c.res.status >= 500 ? "error" : "info", "request", {
      ...notes,
      requestId,
      ...c.get("identity"),
      method: c.req.method,
      route: c.req.routePath,
      status: c.res.status,
      durationMs: nowMs() - startedAtMs,
    });
  };
}

/** Adds fields to the request's only log event: its subject, and the results and durations of its stages. */
export function noteInLog(c: Pick<HttpExchange, "get">, fields: LogFields): void {
  Object.assign(c.get("notes") ?? {}, fields);
}

/** Turns any thrown value into the error envelope. Causes and stacks stay in the log. */
export const handleError: ErrorHandler<HttpEnv> = (error, c) => {
  return errorResponse(c, asVeilError(error, c.get("requestId")));
};

/** Responds to an address without a route. */
export const handleNotFound: NotFoundHandler<HttpEnv> = (c) =>
  errorResponse(c, notFound("There is nothing at this address."));

/** Responds with the error envelope of the contract. */
export function errorResponse(c: HttpExchange, error: VeilError): Response {
  const requestId = c.get("requestId");
  noteInLog(c, { errorCode: error.code });
  for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
  c.header("X-Request-Id", requestId);
  return c.json(
    {
      error: { code: error.code, message: error.message, details: error.details },
      request_id: requestId,
    },
    error.status,
  );
}

/** What the triggers of `migrations/0011_frozen_accounts.sql` say when an account's data may not be changed here. */
const MOVING_SIGN = "account_moving";
const MOVING_RETRY_AFTER_MS = 5 * SECOND_MS;

/** Whether a statement failed because its account is being moved to another database, or has been. */
export function isAccountMoving(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(MOVING_SIGN)) return true;
  }
  return false;
}

/** 503: the account is being moved, so nothing was changed. */
function accountMoving(): VeilError {
  const seconds = MOVING_RETRY_AFTER_MS / SECOND_MS;
  return overloaded(
    `The account is being moved to another database, so nothing can be changed for a moment. Try again in ${seconds} s.`,
    seconds,
  );
}

/** Turns any thrown value into a VeilError. Unexpected errors are logged, and the client gets no details. */
export function asVeilError(error: unknown, requestId: string): VeilError {
  if (error instanceof VeilError) return error;
  return isAccountMoving(error) ? accountMoving() : unexpected(error, requestId);
}

function unexpected(error: unknown, requestId: string): VeilError {
  log("error", "request.fault", { requestId, ...errorFields(error) });
  return new VeilError({
    code: "server_error",
    message: error instanceof NotConfiguredError ? error.message : SERVER_ERROR_MESSAGE,
    cause: error,
  });
}

/** Path of the API under the service's origin, including the version. */
export const API_BASE_PATH = "/api/v1";

/** The configured `PUBLIC_URL`, or else the loopback address at which a local service was reached (`own-address.ts`). */
export function originOf(c: HttpExchange): string {
  return c.get("config").PUBLIC_URL ?? new URL(c.req.url).origin;
}
