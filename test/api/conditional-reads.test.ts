import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { call } from "../support/api.ts";
import { completed } from "../support/leftovers.ts";
import { uploaded } from "../support/uploads.ts";

async function read(path: string, { apiKey }: TestAccount, tag?: string, method = "GET"): Promise<Response> {
  const headers: HeadersInit = tag === undefined ? {} : { "If-None-Match": tag };
  return await call(path, { apiKey, headers, method });
}

async function tagOf(path: string, account: TestAccount): Promise<string> {
  const response = await read(path, account);
  expect(response.status).toBe(200);
  await response.body?.cancel();
  const tag = response.headers.get("ETag") ?? "";
  expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/);
  return tag;
}

const ALL = "include=versions,failure,metadata,request";

describe.for(["", `?${ALL}`])("a media item with %j", (query) => {
  test("is answered with 304 until anything in it changes", async () => {
    const account = await createAccount({ requestsPerMinute: 1_000 });
    const { id } = await uploaded(account.apiKey);
    const path = `/media/${id}${query}`;
    const tag = await tagOf(path, account);

    const unchanged = await read(path, account, tag);
    expect(unchanged.status).toBe(304);
    expect(await unchanged.text()).toBe("");
    expect(unchanged.headers.get("ETag")).toBe(tag);
    expect(unchanged.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(unchanged.headers.get("Vary")).toContain("Authorization");
    expect(unchanged.headers.get("X-Request-Id")).toMatch(/^req_/);
    expect(unchanged.headers.get("X-RateLimit-Remaining")).toMatch(/^\d+$/);
    expect((await read(path, account, tag, "HEAD")).status).toBe(304);

    await completed(account.accountId, id);
    const changed = await read(path, account, tag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get("ETag")).not.toBe(tag);
    expect(await changed.json()).toMatchObject({ status: "completed" });
  });
});

test.for([
  ["metadata", 'metadata = \'{"case":"17"}\''],
  ["metadata", "folder = 'other'"],
  ["failure", "failure_code = 'worker_lost'"],
])("the tag changes with what include=%s adds: %s", async ([included, change]) => {
  const account = await createAccount();
  const { id } = await uploaded(account.apiKey);
  await env.DB.prepare(
    "UPDATE media SET status = 'failed', failed_at = 1, failure_code = 'unexpected'",
  ).run();
  const plain = await tagOf(`/media/${id}`, account);
  const tag = await tagOf(`/media/${id}?include=${included}`, account);
  expect(tag).not.toBe(plain);
  await env.DB.prepare(`UPDATE media SET ${change} WHERE id = ?1`).bind(id).run();
  expect(await tagOf(`/media/${id}?include=${included}`, account)).not.toBe(tag);
  expect(await tagOf(`/media/${id}`, account)).toBe(plain);
});

test("the tag changes when a revision supersedes the media item", async () => {
  const account = await createAccount();
  const { id } = await uploaded(account.apiKey);
  await completed(account.accountId, id);
  const tag = await tagOf(`/media/${id}?include=versions`, account);
  await env.DB.prepare("UPDATE media SET current_version_id = ?2 WHERE id = ?1")
    .bind(id, "ffffffff-ffff-7fff-8fff-ffffffffffff")
    .run();
  expect((await read(`/media/${id}?include=versions`, account, tag)).status).toBe(200);
});

test("If-None-Match takes lists, strong tags and the asterisk", async () => {
  const account = await createAccount();
  const { id } = await uploaded(account.apiKey);
  const tag = await tagOf(`/media/${id}`, account);
  for (const sent of [`"a", ${tag}`, tag.replace("W/", ""), "*"])
    expect((await read(`/media/${id}`, account, sent)).status).toBe(304);
  for (const sent of ["", "a", '"a"', tag.replace(/"$/, '0"')])
    expect((await read(`/media/${id}`, account, sent)).status).toBe(200);
});

test("a list is answered with 304 until a media item comes, changes or goes", async () => {
  const account = await createAccount();
  const path = `/media?per_page=2&${ALL}`;
  let tag = await tagOf(path, account);
  const expectChanged = async (): Promise<void> => {
    expect((await read(path, account, tag)).status).toBe(200);
    tag = await tagOf(path, account);
    expect((await read(path, account, tag)).status).toBe(304);
  };
  const first = await uploaded(account.apiKey);
  await expectChanged();
  await completed(account.accountId, first.id);
  await expectChanged();
  await uploaded(account.apiKey);
  await uploaded(account.apiKey);
  await expectChanged();
  // Off the page, but it counts in the total.
  await call(`/media/${first.id}`, { apiKey: account.apiKey, method: "DELETE" });
  await expectChanged();
});

test("no account is answered with 304 for another's tag", async () => {
  const [one, other] = [await createAccount(), await createAccount()];
  // Both lists are empty, so their bodies are equal.
  const tag = await tagOf("/media", one);
  expect((await read("/media", other, tag)).status).toBe(200);
  const { id } = await uploaded(one.apiKey);
  const mediaTag = await tagOf(`/media/${id}`, one);
  expect((await read(`/media/${id}`, other, mediaTag)).status).toBe(404);
  expect((await call(`/media/${id}`, { headers: { "If-None-Match": mediaTag } })).status).toBe(401);
});
