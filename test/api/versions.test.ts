import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { selectPage, type ListFilter } from "../../src/records/media/media-list.repository.ts";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { newUuid } from "../../src/ground/platform/ids.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { BASE, call, errorOf } from "../support/api.ts";
import { completed } from "../support/leftovers.ts";
import { uploaded } from "../support/uploads.ts";

interface Listing {
  data: { id: string; versions?: unknown; failure?: unknown; metadata?: unknown; folder?: unknown }[];
  pagination: { page: number; total: number };
  links: { next: string | null; previous: string | null };
}

let account: TestAccount;

beforeEach(async () => {
  account = await createAccount();
});

async function first(): Promise<string> {
  const { id } = await uploaded(account.apiKey);
  await completed(account.accountId, id);
  return id;
}

/** A revision that is queued, as the service inserts it. */
async function revisionOf(firstId: string): Promise<string> {
  const { results } = await env.DB.prepare("SELECT * FROM media WHERE account_id = ? LIMIT 1")
    .bind(account.accountId)
    .all();
  const id = newUuid(Date.now() + (await count("media")));
  const row = {
    ...results[0],
    id,
    status: "queued",
    created_at: Date.now() + (await count("media")),
    output_size_bytes: null,
  };
  const names = Object.keys(row);
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO media (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    ).bind(...Object.values(row)),
    env.DB.prepare(
      "INSERT INTO media_revisions (media_id, account_id, first_media_id, analysis_media_id) VALUES (?1, ?2, ?3, ?3)",
    ).bind(id, account.accountId, firstId),
  ]);
  return id;
}

async function count(table: string): Promise<number> {
  const row = await env.DB.prepare(`SELECT count(*) AS total FROM ${table}`).first<{ total: number }>();
  return row?.total ?? 0;
}

async function get<T = Listing>(path: string): Promise<T> {
  const response = await call(path, { apiKey: account.apiKey });
  expect(response.status).toBe(200);
  return await response.json();
}

async function versionsOf(id: string): Promise<unknown> {
  return (await get<Listing["data"][0]>(`/media/${id}?include=versions`)).versions;
}

async function remove(id: string): Promise<void> {
  expect((await call(`/media/${id}`, { method: "DELETE", apiKey: account.apiKey })).status).toBe(204);
}

async function currentIds(query = ""): Promise<string[]> {
  const { data, pagination } = await get(`/media?current=true${query}`);
  expect(pagination.total).toBe(data.length);
  return data.map(({ id }) => id);
}

describe("the current version", () => {
  test("is the newest completed one, is found from the first id, and goes back when it is deleted", async () => {
    const upload = await first();
    const alone = { first: upload, revision_of: null, superseded_by: null, current: true };
    expect(await versionsOf(upload)).toEqual(alone);
    const revision = await revisionOf(upload);
    expect(await versionsOf(upload)).toEqual(alone);
    expect(await versionsOf(revision)).toEqual({
      first: upload,
      revision_of: upload,
      superseded_by: null,
      current: false,
    });
    expect(await currentIds()).toEqual([upload]);
    await completed(account.accountId, revision);
    expect(await versionsOf(upload)).toEqual({ ...alone, superseded_by: revision, current: false });
    const second = await revisionOf(upload);
    await completed(account.accountId, second);
    expect(await versionsOf(upload)).toMatchObject({ superseded_by: second });
    expect(await versionsOf(revision)).toMatchObject({ superseded_by: second, current: false });
    expect(await currentIds()).toEqual([second]);
    expect(await currentIds("&status=completed&media_type=image")).toEqual([second]);
    await remove(second);
    expect(await versionsOf(upload)).toMatchObject({ superseded_by: revision });
    await remove(upload);
    expect(await versionsOf(revision)).toEqual({
      first: upload,
      revision_of: upload,
      superseded_by: null,
      current: true,
    });
  });

  test("is named by a download of a version that it has taken the place of", async () => {
    const upload = await first();
    const revision = await revisionOf(upload);
    await completed(account.accountId, revision);
    const linkOf = async (id: string) =>
      (await call(`/media/${id}/download`, { apiKey: account.apiKey })).headers.get("Link");
    expect(await linkOf(upload)).toBe(`<${BASE}/media/${revision}>; rel="successor-version"`);
    expect(await linkOf(revision)).toBeNull();
  });
});

test("a client of the contract sees no difference", async () => {
  const upload = await first();
  const revision = await revisionOf(upload);
  await completed(account.accountId, revision);
  const { data } = await get("/media");
  expect(data.map(({ id }) => id)).toEqual([revision, upload]);
  for (const one of data) expect(mediaSchema.safeParse(one).success).toBe(true);
  expect(mediaSchema.safeParse(await get(`/media/${upload}`)).success).toBe(true);
});

describe("include", () => {
  test("adds failures, metadata and folders", async () => {
    const upload = await first();
    await env.DB.prepare(
      `UPDATE media SET status = 'failed', failure_code = 'retries_spent', folder = 'a/b', metadata = '{"k":"v"}' WHERE id = ?`,
    )
      .bind(upload)
      .run();
    const { data } = await get("/media?include=failure,metadata");
    expect(data[0]).toMatchObject({
      failure: { code: "retries_spent", retryable: true },
      metadata: { k: "v" },
      folder: "a/b",
    });
    expect(data[0]).not.toHaveProperty("versions");
  });
});

describe("media are found", () => {
  test("by external id and by folder, each in full, of this account alone", async () => {
    const [one, two] = [await first(), await first()];
    const set = env.DB.prepare("UPDATE media SET external_id = ?, folder = ? WHERE id = ?");
    await set.bind("ticket-1", "a", one).run();
    await set.bind("ticket-2", "a/b", two).run();
    expect((await get("/media?external_id=ticket-1")).data.map(({ id }) => id)).toEqual([one]);
    const inFolder = await get("/media?folder=a%2Fb&per_page=1");
    expect([inFolder.data.map(({ id }) => id), inFolder.pagination.total]).toEqual([[two], 1]);
    const other = await createAccount();
    const answer = await call("/media?external_id=ticket-1", { apiKey: other.apiKey });
    expect(await answer.json()).toMatchObject({ data: [], pagination: { total: 0 } });
  });

  test("by cursors, which neither new nor deleted media shift", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.unshift(await first());
    const seen: string[] = [];
    let page = await get("/media?cursor=&per_page=2&include=versions");
    expect(page.pagination).toMatchObject({ page: 1, total: 5 });
    expect(page.links.previous).toBeNull();
    for (;;) {
      seen.push(...page.data.map(({ id }) => id));
      await first();
      await remove(seen.at(-1) ?? "");
      if (page.links.next === null) break;
      expect(page.links.next).toContain("include=versions");
      page = await get(page.links.next.slice(BASE.length));
    }
    expect(seen).toEqual(ids);
  });
});

test.for([
  ["?cursor=&page=1", "cursor"],
  ["?cursor=x", "cursor"],
  ["?include=all", "include"],
  ["?include=", "include"],
  ["?current=yes", "current"],
  ["?external_id=", "external_id"],
  [`?folder=${"f".repeat(501)}`, "folder"],
] as const)("%s is 422 on %s", async ([query, field]) => {
  const response = await call(`/media${query}`, { apiKey: account.apiKey });
  expect(response.status).toBe(422);
  expect(Object.keys((await errorOf(response)).details)).toEqual([field]);
});

test.for<[ListFilter, string]>([
  [{ accountId: "a" }, "media_by_account "],
  [{ accountId: "a", isCurrent: true }, "media_by_account "],
  [{ accountId: "a", externalId: "b" }, "media_by_external_id "],
  [{ accountId: "a", folder: "b" }, "media_by_account_folder "],
])("a page of %o is read in the order of an index", async ([filter, index]) => {
  const after = { createdAt: 1, id: "a" };
  const { sql, params } = selectPage(openDatabase(env.DB, "primary"), filter, { limit: 20, after }).toSQL();
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...params)
    .all<{ detail: string }>();
  const plan = results.map(({ detail }) => detail).join("\n");
  expect(plan).toContain(`USING INDEX ${index}`);
  expect(plan).not.toMatch(/TEMP B-TREE|SCAN/);
});
