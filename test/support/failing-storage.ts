import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { errorOf } from "./api.ts";
import { faultyBindings } from "./faulty-bindings.ts";

/**
 * Sends a request repeatedly, each time with another idempotency key and another failing storage call, which fails before or after it
 * takes effect. Whatever the answer was, repeating the request must result in one version. @param send Sends the request with some
 * bindings and an idempotency key. @param check Called after each request with the key and the number of successful requests so far.
 */
export async function sendWithFailingStorage(
  send: (bindings: object, key: string) => Promise<Response>,
  check: (key: string, made: number) => Promise<void>,
): Promise<void> {
  const counted = faultyBindings(env, () => undefined);
  expect((await send(counted.bindings, "counted")).status).toBe(201);
  let made = 1;
  for (const when of ["before", "after"] as const) {
    for (let at = 1; at <= counted.calls(); at++) {
      const failing = faultyBindings(
        env,
        (number) => (number === at ? new Error("D1 failed") : undefined),
        when,
      );
      const key = `${when}-${at}`;
      expect([201, 500]).toContain((await send(failing.bindings, key)).status);
      const again = await send(env, key);
      if (again.status === 409)
        expect((await errorOf(again)).details).toEqual({ reason: "idempotency_key_in_use" });
      else expect(again.status).toBe(201);
      made += again.status === 201 ? 1 : 0;
      await check(key, made);
    }
  }
}
