import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import type { z } from "zod";
import { app } from "../../src/entries/api.app.ts";
import { errorSchema } from "../../src/ground/platform/openapi.ts";

export const ORIGIN = "http://veil.test";
export const BASE = `${ORIGIN}/api/v1`;

/** One request to the API Worker, over its fetch handler. `path` is below the versioned base. */
export async function call(
  path: string,
  options: RequestInit & { apiKey?: string | undefined } = {},
): Promise<Response> {
  const { apiKey, ...init } = options;
  const headers = new Headers(init.headers);
  if (apiKey !== undefined) headers.set("Authorization", `Bearer ${apiKey}`);
  return await exports.default.fetch(new Request(`${BASE}${path}`, { ...init, headers }));
}

/** The body of a response, parsed by its schema: unknown properties fail. */
export async function bodyOf<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
  return schema.parse(await response.json());
}

/** The error of a response, parsed with the envelope's schema, which also checks the request ID. */
export async function errorOf(response: Response): Promise<z.output<typeof errorSchema>["error"]> {
  const { error, request_id: requestId } = await bodyOf(response, errorSchema);
  if (response.headers.get("X-Request-Id") !== requestId) throw new Error("The request ids differ.");
  return error;
}

const environments = new WeakMap<object, object>();

/** The Worker's environment with some values replaced. The same object always gives the same environment, as in a running Worker. */
function environmentWith(replaced: object): object {
  const environment = environments.get(replaced) ?? { ...env, ...replaced };
  environments.set(replaced, environment);
  return environment;
}

/** One request to the API Worker with some of its variables or bindings replaced. */
export async function callWith(
  replaced: object,
  path: string,
  options: RequestInit & { apiKey?: string | undefined } = {},
): Promise<Response> {
  const { apiKey, ...init } = options;
  const headers = new Headers(init.headers);
  if (apiKey !== undefined) headers.set("Authorization", `Bearer ${apiKey}`);
  const context = createExecutionContext();
  const request = new Request(`${BASE}${path}`, { ...init, headers });
  const response = await app.fetch(request, environmentWith(replaced), context);
  await waitOnExecutionContext(context);
  return response;
}
