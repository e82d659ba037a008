import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { app } from "../../src/entries/api.app.ts";
import { PAGES } from "../../src/web/docs/pages/files.generated.ts";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { createAccount } from "../support/accounts.ts";
import { BASE, ORIGIN, bodyOf, call, callWith, errorOf } from "../support/api.ts";
import { completed } from "../support/leftovers.ts";
import { stopClock } from "../support/stopped-clock.ts";
import { uploadForm, uploaded } from "../support/uploads.ts";

const UNKNOWN_ID = "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10";
const RATE_HEADERS = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

describe("unknown addresses", () => {
  test.for([
    ["GET", "/nothing"],
    ["GET", "/"],
    ["GET", ""],
    ["GET", "/media/"],
    ["POST", "/media"],
    ["PUT", "/media"],
    ["GET", "/media/redact"],
    ["POST", `/media/${UNKNOWN_ID}`],
    ["PATCH", `/media/${UNKNOWN_ID}`],
    ["POST", "/usage"],
    ["DELETE", "/usage"],
    ["OPTIONS", "/media"],
    ["GET", `/media/${UNKNOWN_ID}`],
    ["GET", `/media/${UNKNOWN_ID}/download`],
    ["DELETE", `/media/${UNKNOWN_ID}`],
    ["DELETE", `/media/${UNKNOWN_ID}/download`],
    ["GET", "/media/not-a-uuid"],
    ["GET", "/media/not-a-uuid/download"],
    ["DELETE", "/media/%00"],
    ["GET", "/media/%zz"],
    ["GET", "/media/..%2f..%2fusage"],
  ] as const)("%s %s is 404", async ([method, path]) => {
    const { apiKey } = await createAccount();
    const response = await call(path, { method, apiKey });
    expect(response.status).toBe(404);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(await errorOf(response)).toMatchObject({ code: "not_found", details: {} });
  });

  test.for(["/nothing", "/api", "/api/v2/media", "/openapi/v2.json", "/docs/none"])(
    "%s outside the API is 404 without a key",
    async (path) => {
      const response = await exports.default.fetch(new Request(`${ORIGIN}${path}`));
      expect(response.status).toBe(404);
      expect((await errorOf(response)).code).toBe("not_found");
    },
  );

  test("a person is shown a page where there is none, and the API answers a browser as it does a program", async () => {
    const headers = { Accept: "text/html,application/xhtml+xml" };
    const [page, answer] = await Promise.all(
      ["/nothing", "/api/v1/nothing"].map(async (path) => {
        return await exports.default.fetch(new Request(`${ORIGIN}${path}`, { headers }));
      }),
    );
    expect([page?.status, page?.headers.get("Content-Type")]).toEqual([404, "text/html; charset=UTF-8"]);
    expect(page?.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(answer?.headers.get("Content-Type")).toBe("application/json");
  });
});

describe("the service's own address", () => {
  test("says what this is and leads to what there is", async () => {
    const response = await exports.default.fetch(new Request(`${ORIGIN}/`));
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=UTF-8");
    expect(response.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain(`<code>${BASE}</code>`);
    const addresses = [...page.matchAll(/href="([^"]+)"/g)].map(([, address]) => address ?? "");
    expect(addresses).toContain("/docs");
    for (const address of addresses) {
      const there = await exports.default.fetch(new Request(`${ORIGIN}${address}`));
      await there.body?.cancel();
      expect([address, there.status]).toEqual([address, 200]);
    }
  });

  test.for([
    ["", false],
    ["a secret of the tests that is long enough", true],
  ] as const)("leads to a dashboard where there is one: AUTH_SECRET %j", async ([secret, hasDashboard]) => {
    const response = await app.fetch(new Request(`${ORIGIN}/`), { ...env, AUTH_SECRET: secret });
    expect((await response.text()).includes('href="/dashboard"')).toBe(hasDashboard);
  });

  test.for(["/icon.svg", "/favicon.ico"])("%s is the icon", async (path) => {
    const response = await exports.default.fetch(new Request(`${ORIGIN}${path}`));
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "image/svg+xml"]);
    expect(await response.text()).toMatch(/^<svg /);
  });
});

describe("HEAD", () => {
  test("answers as GET does, without a body", async () => {
    const { apiKey, accountId } = await createAccount({ requestsPerMinute: 100 });
    const { id } = await uploaded(apiKey);
    await completed(accountId, id);
    for (const path of ["/media", `/media/${id}`, `/media/${id}/download`, "/usage"]) {
      const get = await call(path, { apiKey });
      const size = (await get.arrayBuffer()).byteLength;
      const head = await call(path, { apiKey, method: "HEAD" });
      expect(size).toBeGreaterThan(0);
      expect((await head.arrayBuffer()).byteLength).toBe(0);
      expect(head.status).toBe(get.status);
      for (const name of ["Content-Type", "Content-Disposition", "ETag", "X-RateLimit-Limit"]) {
        expect(head.headers.get(name)).toBe(get.headers.get(name));
      }
      expect(head.headers.get("X-Request-Id")).toMatch(/^req_/);
    }
    const missing = await call(`/media/${UNKNOWN_ID}`, { apiKey, method: "HEAD" });
    expect([missing.status, await missing.text()]).toEqual([404, ""]);
    for (const path of ["/openapi/v1.json", "/docs", `/docs/assets/${PAGES.all.styles[0]}`]) {
      const head = await exports.default.fetch(new Request(`${ORIGIN}${path}`, { method: "HEAD" }));
      expect([path, head.status, await head.text()]).toEqual([path, 200, ""]);
    }
  });
});

describe("CORS", () => {
  const page = "https://app.example.com";

  test("is off unless configured", async () => {
    const { apiKey } = await createAccount();
    const response = await call("/media", { apiKey, headers: { Origin: page } });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBeNull();
    const preflight = await call("/media", { method: "OPTIONS", headers: { Origin: page } });
    expect(preflight.status).toBe(401);
    expect(preflight.headers.get("Access-Control-Allow-Origin")).toBeNull();
  });

  test("allows the configured origins alone, on answers and errors", async () => {
    const { apiKey } = await createAccount();
    const CORS_ORIGINS = `https://other.example.com, ${page}`;
    const allowed = await callWith({ CORS_ORIGINS }, "/media", { apiKey, headers: { Origin: page } });
    expect(allowed.headers.get("Access-Control-Allow-Origin")).toBe(page);
    expect(allowed.headers.get("Access-Control-Expose-Headers")).toContain("X-Request-Id");
    expect(allowed.headers.get("Access-Control-Expose-Headers")).toContain("Idempotency-Replayed");
    const refused = await callWith({ CORS_ORIGINS }, "/media", { headers: { Origin: page } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("Access-Control-Allow-Origin")).toBe(page);
    const stranger = await callWith({ CORS_ORIGINS }, "/media", {
      apiKey,
      headers: { Origin: "https://evil.example.com" },
    });
    expect(stranger.headers.get("Access-Control-Allow-Origin")).toBeNull();
    const preflight = await callWith({ CORS_ORIGINS }, "/media/redact", {
      method: "OPTIONS",
      headers: {
        Origin: page,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,idempotency-key",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("Access-Control-Allow-Origin")).toBe(page);
    expect(preflight.headers.get("Access-Control-Allow-Methods")).toContain("POST");
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("idempotency-key");
    expect(preflight.headers.get("X-Request-Id")).toMatch(/^req_/);
  });

  test("lets a page send a file to the address of a resumable upload, and read how far it is", async () => {
    const { apiKey } = await createAccount();
    const tus = { Origin: page, "Tus-Resumable": "1.0.0" };
    const begun = await callWith({ CORS_ORIGINS: page }, "/uploads", {
      method: "POST",
      apiKey,
      headers: { ...tus, "Upload-Length": "10" },
    });
    const path = new URL(begun.headers.get("Location") ?? "").pathname.slice("/api/v1".length);
    for (const method of ["PATCH", "HEAD", "DELETE"]) {
      const asked = "content-type,tus-resumable,upload-offset,upload-checksum";
      const { status, headers } = await callWith({ CORS_ORIGINS: page }, path, {
        method: "OPTIONS",
        headers: {
          Origin: page,
          "Access-Control-Request-Method": method,
          "Access-Control-Request-Headers": asked,
        },
      });
      expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([204, page]);
      expect(headers.get("Access-Control-Allow-Methods")?.split(",")).toContain(method);
      expect(headers.get("Access-Control-Allow-Headers")).toBe(asked);
      expect(headers.get("Access-Control-Max-Age")).toBe("7200");
      expect(headers.get("Tus-Version")).toBe("1.0.0");
    }
    const head = await callWith({ CORS_ORIGINS: page }, path, { method: "HEAD", headers: tus });
    const read = ["Location", "Upload-Offset", "Upload-Length", "Upload-Expires", "Tus-Resumable"];
    for (const { headers } of [begun, head]) {
      expect(headers.get("Access-Control-Allow-Origin")).toBe(page);
      expect(headers.get("Access-Control-Expose-Headers")?.split(",")).toEqual(expect.arrayContaining(read));
    }
    expect(head.headers.get("Upload-Offset")).toBe("0");
    const stranger = await callWith({ CORS_ORIGINS: page }, path, {
      method: "HEAD",
      headers: { ...tus, Origin: "https://evil.example.com" },
    });
    expect(stranger.headers.get("Access-Control-Allow-Origin")).toBeNull();
  });

  test("allows every origin when it is *", async () => {
    const response = await callWith({ CORS_ORIGINS: "*" }, "/media", { headers: { Origin: page } });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });
});

describe("the order of checks", () => {
  test("401 comes before everything and spends no rate limit", async () => {
    stopClock();
    const { apiKey } = await createAccount({ requestsPerMinute: 1 });
    for (const path of ["/media?page=0", "/media/not-a-uuid", "/nothing"]) {
      const response = await call(path, { apiKey: `${apiKey}x` });
      expect(response.status).toBe(401);
      expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
      for (const name of RATE_HEADERS) expect(response.headers.has(name)).toBe(false);
      expect(await errorOf(response)).toMatchObject({ code: "unauthorized", details: {} });
    }
    expect((await call("/usage", { apiKey })).status).toBe(200);
  });

  test("401 says why the key is refused", async () => {
    const { apiKey } = await createAccount();
    const sentences: [string | undefined, RegExp][] = [
      [undefined, /has no API key; expected `Authorization: Bearer <API_KEY>`/],
      [apiKey, /not in the form of a bearer token/],
      ["Basic dXNlcjpwYXNz", /not in the form of a bearer token/],
      [`Bearer ${apiKey}x`, /does not know the API key/],
    ];
    for (const [authorization, sentence] of sentences) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const response = await call("/usage", { headers });
      expect(response.status).toBe(401);
      expect((await errorOf(response)).message).toMatch(sentence);
    }
  });

  test("the rate limit comes before validation and before 404", async () => {
    stopClock();
    const { apiKey } = await createAccount({ requestsPerMinute: 1 });
    expect((await call("/media?page=0", { apiKey })).status).toBe(422);
    for (const path of ["/media?page=0", "/media/not-a-uuid", "/nothing", "/media/redact"]) {
      const response = await call(path, { apiKey, method: path === "/media/redact" ? "POST" : "GET" });
      expect(response.status).toBe(429);
      expect((await errorOf(response)).code).toBe("rate_limit_exceeded");
    }
  });

  test("validation comes before 409, and 409 before the quota", async () => {
    const { apiKey } = await createAccount({ imagesPerPeriod: 1 });
    const send = async (method: string) =>
      await call("/media/redact", {
        method: "POST",
        apiKey,
        headers: { "Idempotency-Key": "k" },
        body: await uploadForm({ method }),
      });
    expect((await send("blur")).status).toBe(201);
    expect((await send("paint")).status).toBe(422);
    expect((await send("pixelation")).status).toBe(409);
    expect((await send("blur")).status).toBe(201);
    const fresh = await call("/media/redact", { method: "POST", apiKey, body: await uploadForm() });
    expect(fresh.status).toBe(429);
    const invalid = await call("/media/redact", {
      method: "POST",
      apiKey,
      body: await uploadForm({ categories: [] }),
    });
    expect(invalid.status).toBe(422);
  });
});

describe("credentials", () => {
  test.for([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Basic dXNlcjpwYXNz",
    "Token {key}",
    "Bearer {key}x",
    "Bearer x{key}",
    "Bearer {key} {key}",
    "{key}",
    "Bearer veil_",
    "Bearer ' OR 1=1 --",
  ])("%s is 401", async (form) => {
    const { apiKey } = await createAccount();
    const headers: Record<string, string> = {};
    if (form !== undefined) headers["Authorization"] = form.replaceAll("{key}", apiKey);
    const response = await call("/usage", { headers });
    expect(response.status).toBe(401);
    expect((await errorOf(response)).code).toBe("unauthorized");
  });

  test("the scheme's case does not matter, and a key is noted as used", async () => {
    const { apiKey, keyId } = await createAccount();
    const response = await callWith({}, "/usage", { headers: { Authorization: `bEARER  ${apiKey}` } });
    expect(response.status).toBe(200);
    const row = await env.DB.prepare("SELECT last_used_at FROM api_keys WHERE id = ?").bind(keyId).first();
    expect(row?.["last_used_at"]).toBeTypeOf("number");
  });
});

/** A request to any host. */
async function ask(url: string, variables: object, init: RequestInit = {}): Promise<Response> {
  const context = createExecutionContext();
  const response = await app.fetch(new Request(url, init), { ...env, ...variables }, context);
  await waitOnExecutionContext(context);
  return response;
}

describe("addresses in answers", () => {
  test("are under PUBLIC_URL, whatever Host a request names", async () => {
    const { apiKey, accountId } = await createAccount();
    const { id } = await uploaded(apiKey);
    await uploaded(apiKey);
    await completed(accountId, id);
    const PUBLIC_URL = "https://veil.example.com/";
    const there = await bodyOf(await callWith({ PUBLIC_URL }, `/media/${id}`, { apiKey }), mediaSchema);
    expect(there.download_url).toBe(`https://veil.example.com/api/v1/media/${id}/download`);
    const list = await (await callWith({ PUBLIC_URL }, "/media?per_page=1", { apiKey })).text();
    expect(list).toContain('"next":"https://veil.example.com/api/v1/media?page=2&per_page=1"');
  });
});

test("a form that a page elsewhere sends to its own Host is refused", async () => {
  const variables = { AUTH_SECRET: "a secret of the tests that is long enough" };
  for (const [host, origin] of [
    ["https://evil.example", "https://evil.example"],
    ["https://evil.example", "null"],
    [ORIGIN, "https://evil.example"],
  ] as const) {
    const headers = { Origin: origin, Accept: "application/json" };
    const response = await ask(`${host}/dashboard/sign-in`, variables, { method: "POST", headers });
    expect([host, origin, response.status]).toEqual([host, origin, 403]);
    // Its code is the dashboard's own, which the contract does not have.
    expect(await response.json()).toMatchObject({
      error: { code: "forbidden", message: expect.stringContaining("does not come from a page") as unknown },
    });
  }
});

describe("without PUBLIC_URL", () => {
  const LOCAL = { PUBLIC_URL: undefined, LOCAL_DEVELOPMENT: "true" };

  test.for(["/api/v1/media", "/openapi/v1.json", "/docs", "/healthz", "/dashboard", "/dashboard/sign-in"])(
    "a deployed Worker answers %s with 500, and tells its operator why there and in the log",
    async (path) => {
      const lines: string[] = [];
      vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
      const response = await ask(`https://evil.example${path}`, { PUBLIC_URL: undefined });
      vi.restoreAllMocks();
      expect(response.status).toBe(500);
      const { code, message } = await errorOf(response);
      expect([code, message]).toEqual([
        "server_error",
        "The service is not set up yet: its operator has to set the variable PUBLIC_URL of the API Worker to its address, such as https://veil.example.com.",
      ]);
      expect(lines.join("\n")).toContain("config.public_url_missing");
    },
  );

  test.for(["127.0.0.1", "127.8.8.8:8787", "localhost:1", "veil.localhost", "[::1]:8787", "2130706433"])(
    "a local service answers at %s, under that address",
    async (host) => {
      const { origin } = new URL(`http://${host}`);
      const response = await ask(`http://${host}/openapi/v1.json`, LOCAL);
      expect(response.status).toBe(200);
      const { servers } = await response.json<{ servers: unknown }>();
      expect(servers).toEqual([{ url: `${origin}/api/v1` }]);
    },
  );

  test.for(["evil.example", "192.168.1.7", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]"])(
    "a local service does not answer at %s",
    async (host) => {
      const response = await ask(`http://${host}/openapi/v1.json`, LOCAL);
      expect(response.status).toBe(404);
      expect((await errorOf(response)).message).toContain("at addresses of this machine alone");
    },
  );
});

test.for([
  [
    undefined,
    "WEBHOOK_SECRET_KEYS is missing (Expected keys of 32 bytes in base64, separated by spaces or commas)",
  ],
  ["a-key-that-is-none", "WEBHOOK_SECRET_KEYS is wrong (Expected keys of 32 bytes in base64"],
] as const)("a Worker with WEBHOOK_SECRET_KEYS=%s says in one sentence what to do", async ([keys, fault]) => {
  const lines: string[] = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
  const response = await ask(`${ORIGIN}/api/v1/media`, { WEBHOOK_SECRET_KEYS: keys });
  vi.restoreAllMocks();
  expect(response.status).toBe(500);
  const { message } = await errorOf(response);
  expect(message).toContain(fault);
  expect(message).toContain("copy .dev.vars.example to .dev.vars");
  expect(lines.join("\n")).toContain(fault);
  expect(message + lines.join("\n")).not.toContain("a-key-that-is-none");
});

describe("an unexpected fault", () => {
  test("is 500 in plain words, with the rate-limit headers and without internals", async () => {
    const { apiKey } = await createAccount({ requestsPerMinute: 10 });
    let reads = 0;
    const DB = {
      prepare: () => undefined,
      withSession: () => {
        reads += 1;
        if (reads > 1) throw new Error("secret internals of table media");
        return env.DB.withSession();
      },
    };
    const response = await callWith({ DB }, "/media", { apiKey });
    expect(response.status).toBe(500);
    expect(response.headers.get("X-RateLimit-Limit")).toBe("10");
    const error = await errorOf(response);
    expect(error).toMatchObject({ code: "server_error", details: {} });
    expect(error.message).not.toContain("secret");
  });

  test("a Worker without its bindings says 500 and no more", async () => {
    const response = await callWith({ DB: undefined }, "/media");
    expect(response.status).toBe(500);
    expect((await errorOf(response)).message).not.toContain("DB");
  });
});
