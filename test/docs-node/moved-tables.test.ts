import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import { MIGRATIONS_DIRECTORY, migrationFiles } from "../../scripts/local/migration-files.ts";
import { KEPT_TABLES, MOVED_TABLES } from "../../src/work/moving/moved-tables.ts";

const database = new DatabaseSync(":memory:");

beforeAll(async () => {
  for (const name of await migrationFiles())
    database.exec(await readFile(join(MIGRATIONS_DIRECTORY, name), "utf8"));
});

function namesOf(sql: string): string[] {
  return database
    .prepare(sql)
    .all()
    .map(({ name }) => String(name));
}

test("every table with an account is moved, or named as one that stays", () => {
  const tables = namesOf(
    `SELECT sqlite_schema.name FROM sqlite_schema JOIN pragma_table_info(sqlite_schema.name) AS field
     WHERE sqlite_schema.type = 'table' AND field.name = 'account_id' ORDER BY 1`,
  );
  expect(tables.length).toBeGreaterThan(30);
  expect([...MOVED_TABLES.map(({ name }) => name), ...KEPT_TABLES].toSorted()).toEqual(tables);
});

test("a table without an account belongs to none, to a person, or to one database", () => {
  const tables = namesOf(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND NOT EXISTS
       (SELECT 1 FROM pragma_table_info(sqlite_schema.name) AS field WHERE field.name = 'account_id') ORDER BY 1`,
  );
  expect(tables).toEqual([
    "accounts",
    "detector_breakers",
    "reconciliation_findings",
    "reconciliations",
    "report_keys",
    "sessions",
    "sign_in_methods",
    "two_factors",
    "users",
    "verifications",
  ]);
});

test("every moved table has its three fences, unless late rows are forwarded", () => {
  const fences = namesOf(
    "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%\\_fence\\_%' ESCAPE '\\'",
  );
  const fenced = MOVED_TABLES.filter(({ isNotFenced }) => isNotFenced !== true);
  const expected = fenced.flatMap(({ name }) =>
    ["insert", "update", "delete"].map((verb) => `${name}_fence_${verb}`),
  );
  expect(fences.toSorted()).toEqual(expected.toSorted());
});

test("what triggers count comes after what they count", () => {
  const firstCounted = MOVED_TABLES.findIndex(({ isCounted }) => isCounted === true);
  expect(MOVED_TABLES.slice(firstCounted).every(({ isCounted }) => isCounted === true)).toBe(true);
});
