import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openApiDocument } from "../../src/entries/api.app.ts";
import {
  createAccount,
  createKey,
  resumeAccount,
  revokeKey,
  suspendAccount,
  type TestAccount,
} from "../support/accounts.ts";
import { ORIGIN, call, callWith, errorOf } from "../support/api.ts";
import { completed } from "../support/leftovers.ts";
import { uploadForm, uploaded } from "../support/uploads.ts";

const OUTPUT = new Uint8Array(new TextEncoder().encode("the redacted secret of the owner"));

/** Every operation of the document, by method and path, with whether it names one media item. */
const operations = Object.entries(openApiDocument(ORIGIN).paths).flatMap(([path, item]) =>
  // The address of a resumable upload is its secret: `resumable-uploads.test.ts` tries others.
  (path === "/uploads/{uploadId}" ? [] : Object.keys(item))
    .flatMap((method) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]))
    .map((method) => ({ method, path, isOfMedia: path.includes("{mediaId}") })),
);

let owner: TestAccount;
let mediaIds: { queued: string; completed: string; failed: string };

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  owner = await createAccount({ requestsPerMinute: 1_000 });
  const queued = await uploaded(owner.apiKey, { filename: "owner-queued.png" });
  const done = await uploaded(owner.apiKey, { filename: "owner-completed.png" });
  await completed(owner.accountId, done.id, OUTPUT);
  const failed = await uploaded(owner.apiKey, { filename: "owner-failed.png" });
  await env.DB.prepare(
    "UPDATE media SET status = 'failed', failure_code = 'retries_spent', source_expires_at = ?2 WHERE id = ?1",
  )
    .bind(failed.id, Date.now() + 3_600_000)
    .run();
  mediaIds = { queued: queued.id, completed: done.id, failed: failed.id };
});

afterAll(() => {
  vi.useRealTimers();
});

async function request(
  method: string,
  path: string,
  mediaId: string,
  authorization?: string,
): Promise<Response> {
  const headers: Record<string, string> = { "Idempotency-Key": "owner-key" };
  if (authorization !== undefined) headers["Authorization"] = authorization;
  const isJson = path.endsWith("/revisions");
  if (path === "/uploads") Object.assign(headers, { "Tus-Resumable": "1.0.0", "Upload-Length": "10" });
  if (isJson) headers["Content-Type"] = "application/json";
  const hasBody = method === "POST" && path !== "/uploads" && !path.endsWith("/retry");
  const body = hasBody ? { body: isJson ? "{}" : await uploadForm() } : {};
  return await call(path.replace("{mediaId}", mediaId), { method, headers, ...body });
}

function withoutId(body: string): string {
  return body.replace(/req_[\w-]+/, "");
}

/** All stored data of the owner, except when its keys were last used. */
async function ownersState(): Promise<unknown> {
  const rows = async (table: string): Promise<unknown> =>
    (
      await env.DB.prepare(`SELECT * FROM ${table} WHERE account_id = ? ORDER BY 1, 2, 3`)
        .bind(owner.accountId)
        .all()
    ).results;
  const objects = await env.MEDIA.list({ prefix: `${owner.accountId}/` });
  return {
    media: await rows("media"),
    counts: await rows("media_counts"),
    usage: await rows("usage"),
    keys: await rows("idempotency_keys"),
    purges: await rows("object_purges"),
    events: await rows("events"),
    options: await rows("masking_options"),
    revisions: await rows("media_revisions"),
    detections: await rows("media_detections"),
    models: await rows("media_models"),
    objects: objects.objects.map(({ key, etag }) => `${key} ${etag}`),
  };
}

async function ownersRateCount(): Promise<number> {
  const response = await call("/usage", { apiKey: owner.apiKey });
  return Number(response.headers.get("X-RateLimit-Remaining"));
}

test("the walk covers every operation of the contract", () => {
  expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    "DELETE /media/{mediaId}",
    "GET /deletions",
    "GET /media",
    "GET /media/{mediaId}",
    "GET /media/{mediaId}/detections",
    "GET /media/{mediaId}/download",
    "GET /media/{mediaId}/report",
    "GET /media/{mediaId}/status-details",
    "GET /media/{mediaId}/verification",
    "GET /usage",
    "HEAD /deletions",
    "HEAD /media",
    "HEAD /media/{mediaId}",
    "HEAD /media/{mediaId}/detections",
    "HEAD /media/{mediaId}/download",
    "HEAD /media/{mediaId}/report",
    "HEAD /media/{mediaId}/status-details",
    "HEAD /media/{mediaId}/verification",
    "HEAD /usage",
    "POST /media/redact",
    "POST /media/{mediaId}/retry",
    "POST /media/{mediaId}/revisions",
    "POST /uploads",
  ]);
});

test.for(["no key", "a garbage key"])("with %s nothing is fetched by URL", async (kind) => {
  const asked = vi.spyOn(globalThis, "fetch");
  const response = await callWith({}, "/media/redact", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(kind === "no key" ? {} : { Authorization: "Bearer veil_garbage" }),
    },
    body: JSON.stringify({ source_url: "https://files.example.com/a.png", categories: ["heads"] }),
  });
  expect(response.status).toBe(401);
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
});

describe.for(operations)("$method $path", ({ method, path, isOfMedia }) => {
  const credentials: [string, () => Promise<string | undefined>][] = [
    ["no key", async () => await Promise.resolve(undefined)],
    ["a garbage key", async () => await Promise.resolve("Bearer veil_garbage")],
    ["a key's prefix", async () => await Promise.resolve(`Bearer ${owner.apiKey.slice(0, 12)}`)],
    ["the key's id", async () => await Promise.resolve(`Bearer ${owner.keyId}`)],
    [
      "a key revoked a moment ago",
      async () => {
        const { keyId, apiKey } = await createKey(owner.accountId);
        for (const id of [mediaIds.queued, mediaIds.completed]) {
          expect((await call(`/media/${id}`, { apiKey })).status).toBe(200);
        }
        await revokeKey(keyId);
        return `Bearer ${apiKey}`;
      },
    ],
  ];

  test.for(credentials)(
    "with %s is 401 and touches nothing, not even the rate limit",
    async ([, credential]) => {
      const authorization = await credential();
      const before = await ownersState();
      const countBefore = await ownersRateCount();
      for (const mediaId of [...Object.values(mediaIds), "not-a-uuid"]) {
        const response = await request(method, path, mediaId, authorization);
        expect(response.status).toBe(401);
        expect(response.headers.has("X-RateLimit-Limit")).toBe(false);
        if (method !== "HEAD") expect((await errorOf(response)).code).toBe("unauthorized");
      }
      // The second reading is itself one request.
      expect(await ownersRateCount()).toBe(countBefore - 1);
      expect(await ownersState()).toEqual(before);
    },
  );

  test("with a key of a suspended account is 401, says why, and touches nothing", async () => {
    const before = await ownersState();
    await suspendAccount(owner.accountId, { reason: "unpaid invoices" });
    for (const mediaId of [...Object.values(mediaIds), "not-a-uuid"]) {
      const response = await request(method, path, mediaId, `Bearer ${owner.apiKey}`);
      expect(response.status).toBe(401);
      expect(response.headers.has("X-RateLimit-Limit")).toBe(false);
      if (method === "HEAD") continue;
      const { code, message } = await errorOf(response);
      expect(code).toBe("unauthorized");
      expect(message).toContain("suspended the account. The reason given is: unpaid invoices.");
    }
    await resumeAccount(owner.accountId);
    expect(await ownersState()).toEqual(before);
  });

  test("as another tenant sees and touches nothing of the owner's", async () => {
    const stranger = await createAccount();
    const before = await ownersState();
    for (const mediaId of Object.values(mediaIds)) {
      const response = await request(method, path, mediaId, `Bearer ${stranger.apiKey}`);
      const text = await response.text();
      expect(text).not.toContain("owner");
      for (const id of Object.values(mediaIds)) expect(text).not.toContain(id);
      if (isOfMedia) {
        expect(response.status).toBe(404);
        const unknown = await request(
          method,
          path,
          "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10",
          `Bearer ${stranger.apiKey}`,
        );
        expect(withoutId(await unknown.text())).toBe(withoutId(text));
      } else {
        expect([200, 201]).toContain(response.status);
      }
    }
    expect(await ownersState()).toEqual(before);
  });
});

test("the owner still has everything", async () => {
  const download = await call(`/media/${mediaIds.completed}/download`, { apiKey: owner.apiKey });
  expect(new Uint8Array(await download.arrayBuffer())).toEqual(OUTPUT);
});
