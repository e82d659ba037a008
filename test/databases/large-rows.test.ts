import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { MOVED_TABLES } from "../../src/work/moving/moved-tables.ts";
import { readRows } from "../../src/work/moving/moved-rows.repository.ts";
import { createAccount } from "../support/accounts.ts";
import { move } from "../support/moves.ts";

/** Characters of detections. Some rows fit into one statement with others, and some are larger than a statement's text. */
const SIZES = [100, 1_900_000, 0, 400_000, 400_000, 700_000, 900_000, 1_500_000, 10, 10];

async function sizesIn(database: D1Database, accountId: string): Promise<number[]> {
  const { results } = await database
    .prepare("SELECT length(detections) AS size FROM media_detections WHERE account_id = ? ORDER BY media_id")
    .bind(accountId)
    .all<{ size: number }>();
  return results.map(({ size }) => size);
}

test("rows with megabytes are moved a few at once, and thousands of small ones together", async () => {
  const { accountId } = await createAccount();
  for (const [index, size] of SIZES.entries()) {
    await env.DB.prepare("INSERT INTO media_detections (media_id, account_id, detections) VALUES (?, ?, ?)")
      .bind(`media-${index}`, accountId, "é".repeat(size / 2).padEnd(size, "x"))
      .run();
  }
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
     INSERT INTO masking_options (media_id, account_id, options) SELECT 'media-' || i, ?, printf('%0*d', 900, i) FROM n`,
  )
    .bind(accountId)
    .run();

  const table = MOVED_TABLES.find(({ name }) => name === "media_detections");
  if (table === undefined) throw new Error("The table is not moved.");
  const read: number[] = [];
  for (let after: number | null = 0; after !== null;) {
    const found = await readRows(openDatabase(env.DB, "primary"), table, { accountId, after });
    read.push(found.rows.length);
    after = found.next;
  }
  expect(read.reduce((total, count) => total + count)).toBe(SIZES.length);
  expect(Math.max(...read)).toBeLessThan(SIZES.length / 2);

  await move(accountId);
  expect(await sizesIn(env.DB_2, accountId)).toEqual(SIZES);
  const moved = await env.DB_2.prepare(
    "SELECT count(DISTINCT options) AS total FROM masking_options WHERE account_id = ?",
  )
    .bind(accountId)
    .first("total");
  expect(moved).toBe(2500);
});
