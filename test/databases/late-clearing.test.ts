import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { beginRole, changeRole, endClearing } from "../../src/records/directory/frozen.repository.ts";
import { deleteRows, writeRows } from "../../src/work/moving/moved-rows.repository.ts";
import { MOVED_TABLES } from "../../src/work/moving/moved-tables.ts";
import { createAccount } from "../support/accounts.ts";

test("a statement that deletes an earlier stay's rows deletes none that the move has copied, however late it runs", async () => {
  const { accountId } = await createAccount();
  const to = openDatabase(env.DB_2, "primary");
  const account = { accountId, moveNumber: 1 };
  const table = MOVED_TABLES.find(({ name }) => name === "media_detections");
  if (table === undefined) throw new Error("The table is not moved.");
  const rowsThere = async (): Promise<unknown> =>
    await env.DB_2.prepare("SELECT count(*) AS total FROM media_detections WHERE account_id = ?")
      .bind(accountId)
      .first("total");
  const clear = async (): Promise<unknown> =>
    await deleteRows(to, table, { ...account, role: "clearing", after: 0 });

  await env.DB_2.prepare(
    "INSERT INTO media_detections (media_id, account_id, detections) VALUES ('old', ?, '')",
  )
    .bind(accountId)
    .run();
  await beginRole(to, account, { role: "clearing", nowMs: 1 });
  await clear();
  expect(await rowsThere()).toBe(0);
  await endClearing(to, account, 2);
  const columns = ["media_id", "account_id", "detections"];
  await writeRows(to, table, { ...account, columns, rows: [["new", accountId, ""]], next: null });
  await clear();
  expect(await rowsThere()).toBe(1);
  await changeRole(to, account, { role: "free", nowMs: 3 });
  await clear();
  await endClearing(to, account, 4);
  expect(await rowsThere()).toBe(1);
  const role = await env.DB_2.prepare("SELECT role FROM frozen_accounts WHERE account_id = ?")
    .bind(accountId)
    .first("role");
  expect(role).toBe("free");
});
