import { expect, test } from "vitest";
import { app, openApiDocument } from "../../src/entries/api.app.ts";
import { DASHBOARD_ROUTES } from "../../src/web/dashboard/dashboard.app.tsx";
import { ENGINE_FILES } from "../../src/web/dashboard/editor/files.generated.ts";
import { FILES as DASHBOARD_FILES } from "../../src/web/dashboard/parts/files.generated.ts";
import { FILES as DOCS_FILES } from "../../src/web/docs/pages/files.generated.ts";
import { createAccount } from "../support/accounts.ts";
import { ORIGIN, callWith } from "../support/api.ts";
import { Browser } from "../support/browser.ts";
import { completed } from "../support/leftovers.ts";
import { uploaded } from "../support/uploads.ts";
import { env, exports } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";

const UNKNOWN = "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10";

/** Every route of the Worker as a method and a path with values for its parameters. */
const routes = [
  ...Object.entries(openApiDocument(ORIGIN).paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} /api/v1${path}`),
  ),
  ...DASHBOARD_ROUTES,
  ...Object.keys(DASHBOARD_FILES).map((name) => `GET /dashboard/assets/${name}`),
  ...[ENGINE_FILES.worker, ENGINE_FILES.core, ...ENGINE_FILES.wasm, "nothing"].map(
    (name) => `GET /dashboard/assets/engine/${name}`,
  ),
  ...Object.keys(DOCS_FILES).map((name) => `GET /docs/assets/${name}`),
  ...["/openapi/v1.json", "/docs", "/healthz", "/", "/nothing", "/api/v1/nothing"].map(
    (path) => `GET ${path}`,
  ),
].map((route) => route.replaceAll(/\{\w+\}|:\w+/g, UNKNOWN));

function expectProtected(what: string, headers: Headers): void {
  const found = Object.fromEntries(
    ["Strict-Transport-Security", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy"].map(
      (name) => [name, headers.get(name)],
    ),
  );
  const isPage = what.includes("/dashboard");
  expect([what, found]).toEqual([
    what,
    {
      "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
      "Referrer-Policy": isPage ? "same-origin" : "no-referrer",
    },
  ]);
}

test("every route protects its answers, whatever it answers", async () => {
  expect(routes.length).toBeGreaterThan(40);
  const { apiKey } = await createAccount();
  for (const route of routes) {
    const [method = "", path = ""] = route.split(" ");
    for (const authorization of [undefined, `Bearer ${apiKey}`]) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const request = new Request(`${ORIGIN}${path}`, { method, headers, redirect: "manual" });
      const response = await exports.default.fetch(request);
      await response.body?.cancel();
      expectProtected(route, response.headers);
    }
  }
  for (const path of ["/dashboard/keys", "/dashboard/sign-in", "/dashboard/nothing"]) {
    expectProtected(`GET ${path}`, (await new Browser().visit(path)).headers);
  }
});

test("a Worker that is not configured protects its answer too", async () => {
  const response = await app.fetch(new Request(`${ORIGIN}/api/v1/usage`), {}, createExecutionContext());
  expect(response.status).toBe(500);
  expectProtected("GET /api/v1/usage", response.headers);
});

test("a download has the type that the service found, not the one that was declared", async () => {
  const { apiKey, accountId } = await createAccount();
  const { id } = await uploaded(apiKey, { filename: "page.html" });
  await completed(accountId, id, new Uint8Array(new TextEncoder().encode("<script>alert(1)</script>")));
  await env.MEDIA.put(`${accountId}/${id}/output`, "<script>alert(1)</script>", {
    httpMetadata: { contentType: "text/html", contentDisposition: "inline" },
  });
  const response = await callWith({}, `/media/${id}/download`, { apiKey });
  expect(response.headers.get("Content-Type")).toBe("image/png");
  expect(response.headers.get("Content-Disposition")).toMatch(/^attachment;/);
  expectProtected("download", response.headers);
});

test("only the engine's files may run WebAssembly, and they connect to nothing", async () => {
  const policies = new Map<string, string | null>();
  const { worker, core, wasm } = ENGINE_FILES;
  for (const name of [worker, core, ...wasm]) {
    const response = await exports.default.fetch(`${ORIGIN}/dashboard/assets/engine/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    await response.body?.cancel();
    policies.set(name, response.headers.get("Content-Security-Policy"));
  }
  expect([...new Set(policies.values())]).toEqual([
    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; connect-src blob:; form-action 'none'; script-src 'self' 'wasm-unsafe-eval'",
  ]);
  for (const path of [
    "/dashboard/sign-in",
    "/dashboard/assets/engine/nothing",
    `/dashboard/assets/${worker}`,
  ]) {
    const response = await exports.default.fetch(`${ORIGIN}${path}`);
    await response.body?.cancel();
    expect(response.headers.get("Content-Security-Policy")).not.toMatch(/wasm|blob/);
  }
});

test("static assets are answered by the Worker alone, at the engine's addresses", async () => {
  for (const path of [`/${ENGINE_FILES.worker}`, `/${ENGINE_FILES.wasm[0]}`, "/index.html"]) {
    const response = await exports.default.fetch(`${ORIGIN}${path}`);
    await response.body?.cancel();
    expect(response.status).toBe(404);
  }
});
