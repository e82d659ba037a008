import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import {
  mediaCollectionSchema,
  type MediaCollectionResponse,
} from "../../src/records/media/media.schemas.ts";
import { MEDIA_STATUSES } from "../../src/records/media/media.states.ts";
import { newUuid } from "../../src/ground/platform/ids.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { BASE, bodyOf, call, errorOf } from "../support/api.ts";

const START_MS = Date.UTC(2026, 0, 1);
const TOTAL = 47;

let account: TestAccount;

/** All statuses in turn. Every fifth item is a video. Pairs have the same creation time, so that their IDs decide the order. */
beforeAll(async () => {
  account = await createAccount();
  const other = await createAccount();
  await env.DB.batch(
    Array.from({ length: TOTAL + 1 }, (_unused, index) => {
      const createdAt = START_MS + Math.floor(index / 2) * 1000;
      return env.DB.prepare(
        `INSERT INTO media (id, account_id, status, filename, media_type, format, categories, redaction_method,
           file_size_bytes, width_pixels, height_pixels, origin, request_id, created_at, quota_units, period_start)
         VALUES (?, ?, ?, ?, ?, 'png', '["heads"]', 'blur', 1, 1, 1, '', 'req_', ?, 1, '2026-01-01')`,
      ).bind(
        newUuid(createdAt),
        index === TOTAL ? other.accountId : account.accountId,
        MEDIA_STATUSES[index % MEDIA_STATUSES.length] ?? "",
        `${index}.png`,
        index % 5 === 0 ? "video" : "image",
        createdAt,
      );
    }),
  );
});

async function list(query: string): Promise<MediaCollectionResponse> {
  const response = await call(`/media${query}`, { apiKey: account.apiKey });
  expect(response.status).toBe(200);
  return await bodyOf(response, mediaCollectionSchema);
}

function expectedNames(keep: (index: number) => boolean): Set<string> {
  const indexes = Array.from({ length: TOTAL }, (_unused, index) => index).filter(keep);
  return new Set(indexes.map((index) => `${index}.png`));
}

test("the first page holds the 20 newest, newest first", async () => {
  const { data, pagination, links } = await list("");
  expect(pagination).toEqual({ page: 1, per_page: 20, total: TOTAL, total_pages: 3 });
  expect(data).toHaveLength(20);
  expect(links).toEqual({ next: `${BASE}/media?page=2&per_page=20`, previous: null });
  const keys = data.map(({ created_at: createdAt, id }) => `${createdAt} ${id}`);
  expect(keys).toEqual(keys.toSorted().toReversed());
});

test("following `next` visits every media once, following `previous` comes back", async () => {
  const names: string[] = [];
  let page = await list("?per_page=7");
  let pages = 1;
  for (; page.links.next !== null; pages++) {
    names.push(...page.data.map(({ filename }) => filename));
    page = await list(page.links.next.slice(`${BASE}/media`.length));
  }
  names.push(...page.data.map(({ filename }) => filename));
  expect(pages).toBe(7);
  expect(names).toHaveLength(TOTAL);
  expect(new Set(names)).toEqual(expectedNames(() => true));
  for (; page.links.previous !== null; pages--) {
    page = await list(page.links.previous.slice(`${BASE}/media`.length));
  }
  expect([pages, page.pagination.page]).toEqual([1, 1]);
});

describe("filters", () => {
  test.for(MEDIA_STATUSES)("status %s", async (status) => {
    const { data, pagination } = await list(`?status=${status}&per_page=100`);
    const expected = expectedNames((index) => MEDIA_STATUSES[index % MEDIA_STATUSES.length] === status);
    expect(new Set(data.map(({ filename }) => filename))).toEqual(expected);
    expect(pagination.total).toBe(expected.size);
  });

  test("media_type, alone and with a status, kept in the links", async () => {
    const videos = await list("?media_type=video");
    expect(videos.pagination.total).toBe(10);
    const both = await list("?media_type=image&status=queued&per_page=2&page=2");
    const expected = expectedNames((index) => index % 5 !== 0 && index % MEDIA_STATUSES.length === 1);
    expect(both.pagination).toEqual({
      page: 2,
      per_page: 2,
      total: expected.size,
      total_pages: Math.ceil(expected.size / 2),
    });
    expect(both.links).toEqual({
      next: `${BASE}/media?status=queued&media_type=image&page=3&per_page=2`,
      previous: `${BASE}/media?status=queued&media_type=image&page=1&per_page=2`,
    });
  });
});

test.for([
  ["?per_page=1", 1],
  ["?per_page=100", TOTAL],
  ["?page=3", 7],
  ["?page=4", 0],
  ["?page=1000001", 0],
  ["?page=90071992547409&per_page=100", 0],
] as const)("%s holds %d", async ([query, length]) => {
  const { data, links } = await list(query);
  expect(data).toHaveLength(length);
  if (length === 0) expect(links.next).toBeNull();
});

test.for(["4", "99", "90071992547409"])("page %s is past the end, and says so", async (page) => {
  const { data, pagination, links } = await list(`?page=${page}&status=queued&per_page=4`);
  expect(data).toEqual([]);
  expect(pagination).toEqual({ page: Number(page), per_page: 4, total: 8, total_pages: 2 });
  expect(links).toEqual({ next: null, previous: `${BASE}/media?status=queued&page=2&per_page=4` });
});

test("past the end of an empty list, the page before is the first", async () => {
  const { apiKey } = await createAccount();
  const { pagination, links } = await bodyOf(await call("/media?page=7", { apiKey }), mediaCollectionSchema);
  expect(pagination).toEqual({ page: 7, per_page: 20, total: 0, total_pages: 0 });
  expect(links).toEqual({ next: null, previous: `${BASE}/media?page=1&per_page=20` });
});

test("an account without media gets an empty first page", async () => {
  const { apiKey } = await createAccount();
  const body = await bodyOf(await call("/media", { apiKey }), mediaCollectionSchema);
  expect(body).toEqual({
    data: [],
    pagination: { page: 1, per_page: 20, total: 0, total_pages: 0 },
    links: { next: null, previous: null },
  });
});

test.for([
  ["?page=0", ["page"]],
  ["?page=-1", ["page"]],
  ["?page=1.5", ["page"]],
  ["?page=x", ["page"]],
  ["?page=", ["page"]],
  ["?page=99999999999999999999", ["page"]],
  ["?per_page=0", ["per_page"]],
  ["?per_page=101", ["per_page"]],
  ["?per_page=20&per_page=30", ["per_page"]],
  ["?status=done", ["status"]],
  ["?status=", ["status"]],
  ["?status=Queued", ["status"]],
  ["?media_type=audio", ["media_type"]],
  ["?page=0&per_page=101&status=x&media_type=y", ["media_type", "page", "per_page", "status"]],
] as const)("%s is 422 on %o", async ([query, fields]) => {
  const response = await call(`/media${query}`, { apiKey: account.apiKey });
  expect(response.status).toBe(422);
  const { code, details } = await errorOf(response);
  expect(code).toBe("validation_failed");
  expect(Object.keys(details).sort()).toEqual(fields);
  for (const sentences of Object.values(details)) {
    expect(sentences).toEqual([expect.stringMatching(/^`.+` is .+; expected .+\.$/) as unknown]);
  }
});
