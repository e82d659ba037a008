import type { D1Database, D1PreparedStatement } from "@cloudflare/workers-types";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eq } from "drizzle-orm";
import { answersIn } from "../../scripts/lib/database.ts";
import { outsideDatabase } from "../../scripts/lib/outside-connection.ts";
import { sentenceOf } from "../../scripts/lib/sentence-of.ts";
import { migrateFolder } from "../../scripts/local/migrations.ts";
import { accounts, apiKeys } from "../../src/records/accounts/accounts.table.ts";
import type { Database } from "../../src/ground/platform/database.ts";

let directory: string;
let database: Database;
let raw: Pick<D1Database, "prepare" | "batch">;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "veil-outside-"));
  const target = { local: { stateDirectory: join(directory, "state") } };
  await migrateFolder(target.local.stateDirectory);
  database = outsideDatabase(target);
  raw = database.raw;
  const account = { name: "Ada", plan: "Free", anchorDay: 1, createdAt: 5 } as const;
  await database.orm.insert(accounts).values([
    { id: "acc_a", ...account, verifyPhotos: true },
    { id: "acc_b", ...account },
  ]);
});

afterAll(async () => await rm(directory, { recursive: true, force: true }));

test("Drizzle writes and reads through it, with the types of the columns", async () => {
  await database.orm.insert(apiKeys).values({
    id: "key_1",
    accountId: "acc_a",
    name: "it's",
    prefix: "veil_",
    sha256: "0",
    createdAt: 7,
    scopes: ["read"],
  });
  const [key] = await database.orm.select().from(apiKeys);
  expect(key).toMatchObject({ id: "key_1", name: "it's", scopes: ["read"], revokedAt: null, createdAt: 7 });
  const rows = await database.orm
    .select({ id: accounts.id, verifyPhotos: accounts.verifyPhotos, keyName: apiKeys.name })
    .from(accounts)
    .leftJoin(apiKeys, eq(apiKeys.accountId, accounts.id))
    .orderBy(accounts.id);
  expect(rows).toEqual([
    { id: "acc_a", verifyPhotos: true, keyName: "it's" },
    { id: "acc_b", verifyPhotos: null, keyName: null },
  ]);
  expect(await database.orm.$count(accounts)).toBe(2);
});

test("columns of two tables that have one name are refused: a row would lose one of them", async () => {
  const both = database.orm
    .select({ account: accounts.name, key: apiKeys.name })
    .from(accounts)
    .innerJoin(apiKeys, eq(apiKeys.accountId, accounts.id));
  await expect(both).rejects.toThrow(
    expect.objectContaining({
      cause: new Error("Two of the selected columns have the same name: name, name."),
    }),
  );
});

test("a statement says how many rows it changed, also in a batch and beside triggers", async () => {
  const rename = (name: string, id: string): D1PreparedStatement =>
    raw.prepare("UPDATE accounts SET name = ?1 WHERE name <> ?1 AND id GLOB ?2").bind(name, id);
  expect((await rename("Grace", "acc_*").run()).meta.changes).toBe(2);
  const answers = await raw.batch([
    rename("Eve", "acc_a"),
    rename("Eve", "acc_a"),
    raw.prepare("SELECT name FROM accounts ORDER BY id"),
  ]);
  expect(answers.map(({ meta }) => meta.changes)).toEqual([1, 0, 0]);
  expect(answers[2]?.results).toEqual([{ name: "Eve" }, { name: "Grace" }]);
  expect(await raw.prepare("SELECT name FROM accounts WHERE id = 'acc_a'").first("name")).toBe("Eve");
  expect(await raw.prepare("SELECT name FROM accounts WHERE id = 'acc_c'").first()).toBeNull();
});

test("a database that is missing is named, without the query and its values", async () => {
  const missing = outsideDatabase({ local: { stateDirectory: join(directory, "none") } });
  const error: unknown = await missing.orm
    .select()
    .from(apiKeys)
    .catch((reason: unknown) => reason);
  expect(sentenceOf(error, "help")).toBe(
    `There is no local database in ${join(directory, "none")}. npm start makes one.`,
  );
});

test("a batch changes everything or nothing", async () => {
  const change = raw.prepare("UPDATE accounts SET name = 'Lost'");
  await expect(raw.batch([change, raw.prepare("DELETE FROM no_table")])).rejects.toThrow(/no_table/);
  expect(await raw.prepare("SELECT 1 FROM accounts WHERE name = 'Lost'").first()).toBeNull();
});

/** What D1 returns for one statement. */
function answer(results: readonly object[], changes: number): object {
  return { results, success: true, meta: { duration: 0.2, changes, last_row_id: 0, rows_written: 3 } };
}

test("the answers of a deployed database say what was changed", () => {
  const output = `Resource location: remote\n${JSON.stringify([answer([{ id: "acc_a" }], 0), answer([], 2)])}\n`;
  expect(answersIn(output, 2)).toEqual([
    { rows: [{ id: "acc_a" }], changes: 0 },
    { rows: [], changes: 2 },
  ]);
  expect(() => answersIn(output, 3)).toThrow("3 statements were run, and wrangler returned 2 answers.");
});
