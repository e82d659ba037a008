import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { call } from "../support/api.ts";
import { completed, correctedMedia } from "../support/leftovers.ts";
import { uploaded } from "../support/uploads.ts";

const OUTPUT = new Uint8Array([1]);

/** How many media items of each status are not current: as the triggers count them, and counted directly. */
async function counts({ accountId }: TestAccount): Promise<readonly [kept: unknown, counted: unknown]> {
  const read = async (sql: string): Promise<unknown> =>
    (await env.DB.prepare(sql).bind(accountId).all()).results;
  return [
    await read(
      "SELECT status, superseded FROM media_counts WHERE account_id = ? AND superseded <> 0 ORDER BY status",
    ),
    await read(
      `SELECT status, count(*) AS superseded FROM media
       WHERE account_id = ? AND current_version_id IS NOT NULL GROUP BY status ORDER BY status`,
    ),
  ];
}

async function totalOf({ apiKey }: TestAccount, query: string): Promise<number> {
  const answer = await call(`/media?${query}`, { apiKey });
  const { pagination } = await answer.json<{ pagination: { total: number } }>();
  return pagination.total;
}

test("versions that are not current are counted as they come, change and go", async () => {
  const account = await createAccount();
  const expectExact = async (superseded: number, all: number): Promise<void> => {
    const [kept, counted] = await counts(account);
    expect(kept).toEqual(counted);
    expect(await totalOf(account, "current=true")).toBe(all - superseded);
    expect(await totalOf(account, "current=false")).toBe(superseded);
    expect(await totalOf(account, "")).toBe(all);
  };
  const { id } = await uploaded(account.apiKey);
  await completed(account.accountId, id);
  await expectExact(0, 1);
  const second = await correctedMedia(account.accountId, id, OUTPUT);
  await expectExact(1, 2);
  const third = await correctedMedia(account.accountId, id, OUTPUT);
  await expectExact(2, 3);
  await env.DB.prepare("UPDATE media SET status = 'failed' WHERE id = ?").bind(second).run();
  await expectExact(2, 3);
  await call(`/media/${third}`, { method: "DELETE", apiKey: account.apiKey });
  await expectExact(1, 2);
  await call(`/media/${second}`, { method: "DELETE", apiKey: account.apiKey });
  await expectExact(0, 1);
});

test("every version has the time of its upload, also after the upload is gone", async () => {
  const account = await createAccount();
  const { id } = await uploaded(account.apiKey);
  await completed(account.accountId, id);
  const version = await correctedMedia(account.accountId, id, OUTPUT);
  const times = async () =>
    (
      await env.DB.prepare(
        "SELECT id, uploaded_at AS uploadedAt, created_at AS createdAt FROM media WHERE account_id = ?",
      )
        .bind(account.accountId)
        .all<{ id: string; uploadedAt: number; createdAt: number }>()
    ).results;
  const first = (await times()).find((row) => row.id === id);
  expect(first?.uploadedAt).toBe(first?.createdAt);
  await call(`/media/${id}`, { method: "DELETE", apiKey: account.apiKey });
  expect(await times()).toEqual([
    { id: version, uploadedAt: first?.createdAt, createdAt: expect.any(Number) as number },
  ]);
});
