import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, ErrorHandler, MiddlewareHandler, NotFoundHandler } from "hono";
import { NotConfiguredError, type ApiEnv } from "./env.ts";
import { VeilError, fieldErrors, notFound, validationFailed } from "./errors.ts";
import { newId } from "./ids.ts";
import { errorFields, log, type LogFields } from "./log.ts";
import { nowMs } from "./clock.ts";

interface HttpVariables {
  config: ApiEnv;
  requestId: string;
  /** Who asks, as the log names it. */
  identity?: LogFields;
  /** Further fields of the request's log event; see `noteInLog`. */
  notes?: Record<string, LogFields[string]>;
}

export interface HttpEnv {
  Bindings: object;
  Variables: HttpVariables;
}

export type HttpContext = Context<HttpEnv>;
/** The variables that handlers use; contexts with more of them fit too. */
export type HttpExchange = Pick<HttpContext, "req" | "get" | "header" | "body" | "json" | "executionCtx">;
export type HttpMiddleware = MiddlewareHandler<HttpEnv>;

/** The error message for a fault of the service itself. */
export const SERVER_ERROR_MESSAGE =
  "Something went wrong on our side. Try again. If it keeps happening, contact us with the request ID.";

/** A router whose schema faults become the contract's 422, or 404 where the fault is in the path. */
export function createRouter<E extends HttpEnv = HttpEnv>(): OpenAPIHono<E> {
  return new OpenAPIHono<E>({
    defaultHook: (result) => {
      if (result.success) return;
      if (result.target === "param") throw notFound("There is nothing at this address.");
      throw validationFailed(fieldErrors(result.error));
    },
  });
}

/** Gives every request an id, puts it on the response, and writes the one log event of the request. */
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

/** Adds fields to the one log event of the request: what it is about, how its stages went and how long they took. */
export function noteInLog(c: Pick<HttpExchange, "get">, fields: LogFields): void {
  Object.assign(c.get("notes") ?? {}, fields);
}

/** Turns whatever was thrown into the error envelope. Causes and stacks stay in the log. */
export const handleError: ErrorHandler<HttpEnv> = (error, c) => {
  return errorResponse(c, asVeilError(error, c.get("requestId")));
};

/** Answers an address that no route has. */
export const handleNotFound: NotFoundHandler<HttpEnv> = (c) =>
  errorResponse(c, notFound("There is nothing at this address."));

/** The error envelope of the contract. */
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

/** Turns anything thrown into the service's one error. Unexpected errors are logged, and the client gets no details. */
export function asVeilError(error: unknown, requestId: string): VeilError {
  return error instanceof VeilError ? error : unexpected(error, requestId);
}

function unexpected(error: unknown, requestId: string): VeilError {
  log("error", "request.fault", { requestId, ...errorFields(error) });
  return new VeilError({
    code: "server_error",
    message: error instanceof NotConfiguredError ? error.message : SERVER_ERROR_MESSAGE,
    cause: error,
  });
}

/** Path of the API under the service's origin; the version is part of it. */
export const API_BASE_PATH = "/api/v1";

/** `{PUBLIC_URL}`: as configured, else the loopback address that a local service was asked at: see `own-address.ts`. */
export function originOf(c: HttpExchange): string {
  return c.get("config").PUBLIC_URL ?? new URL(c.req.url).origin;
}
