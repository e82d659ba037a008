import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createAccount, resumeAccount, suspendAccount } from "../support/accounts.ts";
import { call, callWith, errorOf } from "../support/api.ts";
import {
  OPERATIONS,
  OUTPUT,
  attackedIds,
  createOwner,
  expectNothingShown,
  expectRefusal,
  ownersState,
  request,
  revokedKey,
  type Owner,
} from "../support/api-walk.ts";

let owner: Owner;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  owner = await createOwner();
});

afterAll(() => {
  vi.useRealTimers();
});

test("the walk covers every operation of the contract", () => {
  expect(OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
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

describe.for(OPERATIONS)("$method $path", (operation) => {
  const credentials: [string, () => Promise<string | undefined>][] = [
    ["no key", async () => await Promise.resolve(undefined)],
    ["a garbage key", async () => await Promise.resolve("Bearer veil_garbage")],
    ["a key's prefix", async () => await Promise.resolve(`Bearer ${owner.apiKey.slice(0, 12)}`)],
    ["the key's id", async () => await Promise.resolve(`Bearer ${owner.keyId}`)],
    ["a key revoked a moment ago", async () => await revokedKey(owner)],
  ];

  test.for(credentials)(
    "with %s is 401 and touches nothing, not even the rate limit",
    async ([, credential]) => {
      await expectRefusal(owner, operation, await credential());
    },
  );

  test("with a key of a suspended account is 401, says why, and touches nothing", async () => {
    const before = await ownersState(owner);
    await suspendAccount(owner.accountId, { reason: "unpaid invoices" });
    for (const mediaId of attackedIds(owner)) {
      const response = await request(operation, mediaId, `Bearer ${owner.apiKey}`);
      expect(response.status).toBe(401);
      expect(response.headers.has("X-RateLimit-Limit")).toBe(false);
      if (operation.method === "HEAD") continue;
      const { code, message } = await errorOf(response);
      expect(code).toBe("unauthorized");
      expect(message).toContain("suspended the account. The reason given is: unpaid invoices.");
    }
    await resumeAccount(owner.accountId);
    expect(await ownersState(owner)).toEqual(before);
  });

  test("as another tenant sees and touches nothing of the owner's", async () => {
    await expectNothingShown(owner, operation, await createAccount());
  });
});

test("the owner still has everything", async () => {
  const download = await call(`/media/${owner.mediaIds.completed}/download`, { apiKey: owner.apiKey });
  expect(new Uint8Array(await download.arrayBuffer())).toEqual(OUTPUT);
});
