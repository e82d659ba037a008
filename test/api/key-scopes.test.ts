import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { openApiDocument } from "../../src/entries/api.app.ts";
import { newUuid } from "../../src/ground/platform/ids.ts";
import { KEY_SCOPES, type KeyScope } from "../../src/ground/vocabulary/key-scopes.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { call, errorOf } from "../support/api.ts";
import { stopClock } from "../support/stopped-clock.ts";
import { uploaded } from "../support/uploads.ts";

/** The scope that each operation needs. */
const NEEDED: Readonly<Record<string, KeyScope>> = {
  redactMedia: "write",
  listMedia: "read",
  getMedia: "read",
  deleteMedia: "delete",
  downloadMedia: "write",
  getStatusDetails: "read",
  getVerification: "read",
  getDetections: "read",
  getReport: "read",
  reviseMedia: "write",
  retryMedia: "write",
  createUpload: "write",
  listDeletions: "read",
  getUsage: "read",
};

const METHODS = ["get", "post", "patch", "delete", "head", "put"] as const;

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
}

/** Every operation of the document that needs a key. */
function operations(): Operation[] {
  return Object.entries(openApiDocument("http://veil.test").paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined || JSON.stringify(operation["security"]) === "[]") return [];
      return [{ operationId: operation.operationId ?? "", method: method.toUpperCase(), path }];
    }),
  );
}

let account: TestAccount;

beforeEach(async () => {
  account = await createAccount();
});

async function limit({
  scopes,
  expiresAt = null,
}: {
  scopes?: readonly KeyScope[];
  expiresAt?: number | null;
}) {
  await env.DB.prepare("UPDATE api_keys SET scopes = ?, expires_at = ? WHERE id = ?")
    .bind(scopes === undefined ? null : JSON.stringify(scopes), expiresAt, account.keyId)
    .run();
}

test("every operation that needs a key says here what it needs", () => {
  expect(
    operations()
      .map(({ operationId }) => operationId)
      .sort(),
  ).toEqual(Object.keys(NEEDED).sort());
});

describe.for<[readonly KeyScope[], readonly KeyScope[]]>([
  [["read"], ["read"]],
  [["write"], ["read", "write"]],
  [["delete"], ["delete"]],
  [
    ["read", "delete"],
    ["read", "delete"],
  ],
  [KEY_SCOPES, KEY_SCOPES],
])("a key for %o", ([scopes, allowed]) => {
  test("may do exactly that, on every route and with HEAD", async () => {
    await limit({ scopes });
    const heads = operations().flatMap((one) => (one.method === "GET" ? [{ ...one, method: "HEAD" }] : []));
    for (const { operationId, method, path } of [...operations(), ...heads]) {
      const needed = NEEDED[operationId] ?? "read";
      const response = await call(path.replace("{mediaId}", newUuid()), { method, apiKey: account.apiKey });
      const isRefused = response.status === 401;
      expect([operationId, method, isRefused]).toEqual([operationId, method, !allowed.includes(needed)]);
      if (!isRefused || method === "HEAD") {
        await response.body?.cancel();
        continue;
      }
      const { code, message } = await errorOf(response);
      expect(code).toBe("unauthorized");
      expect(message).toBe(
        `The API key lacks the scope \`${needed}\`, which this request needs; it has ${scopes.map((scope) => `\`${scope}\``).join(", ")}. Use a key with that scope.`,
      );
    }
  });
});

test("a key without scopes may do everything", async () => {
  const { id } = await uploaded(account.apiKey);
  expect((await call(`/media/${id}`, { apiKey: account.apiKey })).status).toBe(200);
  expect((await call(`/media/${id}`, { method: "DELETE", apiKey: account.apiKey })).status).toBe(204);
});

test("what a key may not do changes nothing and spends none of the rate limit", async () => {
  stopClock();
  account = await createAccount({ requestsPerMinute: 10 });
  const { id } = await uploaded(account.apiKey);
  await limit({ scopes: ["read"] });
  const before = await call("/usage", { apiKey: account.apiKey });
  expect((await call(`/media/${id}`, { method: "DELETE", apiKey: account.apiKey })).status).toBe(401);
  const after = await call(`/media/${id}`, { apiKey: account.apiKey });
  expect(after.status).toBe(200);
  const [left, leftAfter] = [before, after].map(({ headers }) =>
    Number(headers.get("X-RateLimit-Remaining")),
  );
  expect(leftAfter).toBe((left ?? 0) - 1);
});

test("a key ends at its end", async () => {
  const { id } = await uploaded(account.apiKey);
  await limit({ expiresAt: Date.now() + 60_000 });
  expect((await call(`/media/${id}`, { apiKey: account.apiKey })).status).toBe(200);
  await limit({ expiresAt: Date.UTC(2026, 0, 1) });
  for (const path of [`/media/${id}`, "/usage"]) {
    const response = await call(path, { apiKey: account.apiKey });
    expect(response.status).toBe(401);
    expect((await errorOf(response)).message).toBe(
      "The API key expired at 2026-01-01T00:00:00.000Z. Create a new one in the dashboard.",
    );
  }
});
