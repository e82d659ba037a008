import { METHOD_NAME_ALL, type Result, type Router } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";

/**
 * Finds the handlers of a request with a router for each method. Hono's fast router, which matches a path with one regular expression,
 * does not accept `POST /media/redact` beside `POST /media/:mediaId/retry`. With one router for all methods, those two would make every
 * GET search a tree of paths.
 */
export class RouterByMethod<T> implements Router<T> {
  readonly name = "RouterByMethod";
  readonly #routes: (readonly [method: string, path: string, handler: T])[] = [];
  readonly #routers = new Map<string, Router<T>>();

  /** Adds a handler, before the first request. */
  add(method: string, path: string, handler: T): void {
    this.#routes.push([method, path, handler]);
  }

  /** The handlers of a path in the order in which they were added, with its parameters. */
  match(method: string, path: string): Result<T> {
    let router = this.#routers.get(method);
    if (router === undefined) this.#routers.set(method, (router = this.#routerOf(method)));
    return router.match(method, path);
  }

  #routerOf(method: string): Router<T> {
    const router = new SmartRouter<T>({ routers: [new RegExpRouter<T>(), new TrieRouter<T>()] });
    for (const [added, path, handler] of this.#routes) {
      if (added === method || added === METHOD_NAME_ALL) router.add(added, path, handler);
    }
    return router;
  }
}
