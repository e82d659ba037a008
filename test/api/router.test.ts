import type { Result } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { expect, test } from "vitest";
import { app } from "../../src/entries/api.app.ts";

const METHODS = ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
const UNKNOWN_PATHS = [
  "/none",
  "/api/v1",
  "/api/v1/",
  "/api/v1/media/",
  "/api/v1/none",
  "/api/v1/media/a/b/c",
];

/** The handlers of a match, each with the values of its parameters. */
function handlersOf<T>([handlers, values]: Result<T>): { handler: T; parameters: Record<string, string> }[] {
  return handlers.map(([handler, parameters]) => ({
    handler,
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        typeof value === "number" ? (values?.[value] ?? "") : value,
      ]),
    ),
  }));
}

test("a request meets the handlers of its path in their order, as in Hono's plainest router", () => {
  const plain = new TrieRouter<(typeof app.routes)[number]["handler"]>();
  for (const { method, path, handler } of app.routes) plain.add(method, path, handler);
  const paths = app.routes.map(({ path }) => path.replaceAll(/:\w+/g, "a-value").replaceAll("*", "rest"));
  for (const path of new Set([...paths, ...UNKNOWN_PATHS])) {
    for (const method of METHODS) {
      const found = handlersOf(app.router.match(method, path)).map(({ handler: [handler], parameters }) => ({
        handler,
        parameters,
      }));
      expect(found, `${method} ${path}`).toEqual(handlersOf(plain.match(method, path)));
    }
  }
});
