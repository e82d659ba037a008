import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { openApiDocument } from "../../src/entries/api.app.ts";
import { createAccount, createKey, revokeKey, type TestAccount } from "./accounts.ts";
import { ORIGIN, call, errorOf } from "./api.ts";
import { completed } from "./leftovers.ts";
import { allDatabases } from "./moves.ts";
import { uploadForm, uploaded } from "./uploads.ts";

export const OUTPUT = new Uint8Array(new TextEncoder().encode("the redacted secret of the owner"));

/** An operation of the contract. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** Whether it names one media item. */
  readonly isOfMedia: boolean;
}

/** Every operation of the document. */
export const OPERATIONS: readonly Operation[] = Object.entries(openApiDocument(ORIGIN).paths).flatMap(
  ([path, item]) =>
    // Whoever knows the address of a resumable upload may use it. `resumable-uploads.test.ts` tries wrong addresses.
    (path === "/uploads/{uploadId}" ? [] : Object.keys(item))
      .flatMap((method) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]))
      .map((method) => ({ method, path, isOfMedia: path.includes("{mediaId}") })),
);

/** An account that others attack. */
export interface Owner extends TestAccount {
  readonly mediaIds: { readonly queued: string; readonly completed: string; readonly failed: string };
}

/** An account in the main database with media in several states. */
export async function createOwner(): Promise<Owner> {
  const owner = await createAccount({ requestsPerMinute: 1_000 });
  const queued = await uploaded(owner.apiKey, { filename: "owner-queued.png" });
  const done = await uploaded(owner.apiKey, { filename: "owner-completed.png" });
  await completed(owner.accountId, done.id, OUTPUT);
  const failed = await uploaded(owner.apiKey, { filename: "owner-failed.png" });
  await env.DB.prepare(
    "UPDATE media SET status = 'failed', failure_code = 'retries_spent', source_expires_at = ?2 WHERE id = ?1",
  )
    .bind(failed.id, Date.now() + 3_600_000)
    .run();
  return { ...owner, mediaIds: { queued: queued.id, completed: done.id, failed: failed.id } };
}

/** The owner's media, and an ID that cannot exist. */
export function attackedIds({ mediaIds }: Owner): string[] {
  return [...Object.values(mediaIds), "not-a-uuid"];
}

/** A key of the owner that worked a moment ago, as an `Authorization` header. */
export async function revokedKey({ accountId, mediaIds }: Owner): Promise<string> {
  const { keyId, apiKey } = await createKey(accountId);
  for (const id of [mediaIds.queued, mediaIds.completed]) {
    expect((await call(`/media/${id}`, { apiKey })).status).toBe(200);
  }
  await revokeKey(keyId);
  return `Bearer ${apiKey}`;
}

/** Makes the request of an operation. */
export async function request(
  { method, path }: Operation,
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

const TABLES = [
  "media",
  "media_counts",
  "usage",
  "idempotency_keys",
  "object_purges",
  "events",
  "masking_options",
  "media_revisions",
  "media_detections",
  "media_models",
] as const;

/** All stored data of the owner in every database, except when its keys were last used. */
export async function ownersState({ accountId }: Owner): Promise<unknown> {
  const rows = allDatabases().map(async (database) => {
    const found = await database.batch(
      TABLES.map((table) =>
        database.prepare(`SELECT * FROM ${table} WHERE account_id = ? ORDER BY 1, 2, 3`).bind(accountId),
      ),
    );
    return TABLES.map((table, index) => [table, found[index]?.results]);
  });
  const { objects } = await env.MEDIA.list({ prefix: `${accountId}/` });
  return { rows: await Promise.all(rows), objects: objects.map(({ key, etag }) => `${key} ${etag}`) };
}

async function ownersRateCount({ apiKey }: Owner): Promise<number> {
  const response = await call("/usage", { apiKey });
  return Number(response.headers.get("X-RateLimit-Remaining"));
}

/** Expects that an operation with these credentials is 401 and touches nothing, not even the rate limit. */
export async function expectRefusal(
  owner: Owner,
  operation: Operation,
  authorization: string | undefined,
): Promise<void> {
  const before = await ownersState(owner);
  const countBefore = await ownersRateCount(owner);
  for (const mediaId of attackedIds(owner)) {
    const response = await request(operation, mediaId, authorization);
    expect(response.status).toBe(401);
    expect(response.headers.has("X-RateLimit-Limit")).toBe(false);
    if (operation.method !== "HEAD") expect((await errorOf(response)).code).toBe("unauthorized");
  }
  // The second reading is itself one request.
  expect(await ownersRateCount(owner)).toBe(countBefore - 1);
  expect(await ownersState(owner)).toEqual(before);
}

/** Expects that another account sees and touches nothing of the owner's, whose media look unknown to it. */
export async function expectNothingShown(
  owner: Owner,
  operation: Operation,
  stranger: TestAccount,
): Promise<void> {
  const authorization = `Bearer ${stranger.apiKey}`;
  const before = await ownersState(owner);
  for (const mediaId of Object.values(owner.mediaIds)) {
    const response = await request(operation, mediaId, authorization);
    const text = await response.text();
    expect(text).not.toContain("owner");
    for (const id of Object.values(owner.mediaIds)) expect(text).not.toContain(id);
    if (operation.isOfMedia) {
      expect(response.status).toBe(404);
      const unknown = await request(operation, "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10", authorization);
      expect(withoutId(await unknown.text())).toBe(withoutId(text));
    } else {
      expect([200, 201]).toContain(response.status);
    }
  }
  expect(await ownersState(owner)).toEqual(before);
}

function withoutId(body: string): string {
  return body.replace(/req_[\w-]+/, "");
}
