import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { FLOORS } from "./support/floors.ts";
import { backDoorsOf, readRepositories, tablesOf } from "./support/table-floors.ts";

test("files name tables of their own folder and of lower floors only, in SQL too", async () => {
  const sources = await readRepositories(join(ROOT, "src"));
  expect(tablesOf(sources).length).toBeGreaterThan(35);
  expect(backDoorsOf(sources, FLOORS["src"] ?? [])).toEqual([]);
});

const FLOORS_OF_HOUSE = [["high"], ["beside", "low"]];
const HOUSE = {
  "high/deeds.table.ts": 'export const deeds = sqliteTable("deeds", {});',
  "high/old-keys.table.ts": 'export const oldKeys = sqliteTable(\n  "old_keys",\n  {},\n);',
  "beside/rooms.table.ts": 'export const rooms = sqliteTable("rooms", {});',
  "low/people.table.ts": 'export const people = sqliteTable("people", {});',
};

function doorsIn(file: string, source: string): string[] {
  return backDoorsOf({ ...HOUSE, [file]: source }, FLOORS_OF_HOUSE);
}

describe("what names a table", () => {
  test.for([
    ["`SELECT id FROM deeds`", "deeds"],
    ["sql`DELETE FROM deeds WHERE id = ${id}`", "deeds"],
    ['"SELECT 1 FROM people LEFT JOIN deeds ON true"', "deeds"],
    ["`INSERT INTO deeds (id) VALUES (?1)`", "deeds"],
    ["`UPDATE deeds SET kind = ${kind}`", "deeds"],
    ['from: "json_each(?1) JOIN deeds"', "deeds"],
    ["`SELECT deeds.kind, ${more}`", "deeds"],
    ['prepare(`${begin} ${is ? "" : `AND deeds.id = ?1`}`)', "deeds"],
    ['const NAMES = ["deeds"];', "deeds"],
    ['const CONTENT = { old_keys: "id" };', "old_keys"],
    ["`SELECT 1, (SELECT id FROM people), old_keys`", "old_keys"],
    ['import { deeds } from "../high/deeds.table.ts";', "deeds"],
    ['import {\n  type Deed,\n  deeds as done,\n} from "../high/deeds.table.ts";', "deeds"],
  ] as const)("%s", ([source, table]) => {
    expect(doorsIn("low/a.repository.ts", source)).toEqual([`low/a.repository.ts → ${table} (high)`]);
  });

  test.for([
    "/** Reads FROM deeds. */",
    "// JOIN deeds ON old_keys",
    "`SELECT 'old_keys', kind FROM people WHERE kind <> 'deeds.made'`",
    'kind: "deeds.made"',
    "deeds.filter((deed) => deed.kind)",
    "`${deeds.length} FROM people`",
    'import { count } from "../high/deeds.ts";',
    "`SELECT past_deeds.id FROM people AS past_deeds`",
  ])("not %s", (source) => {
    expect(doorsIn("low/a.repository.ts", source)).toEqual([]);
  });

  test("a folder names its own tables and those below, and none of a folder beside it", () => {
    const source = "`SELECT 1 FROM deeds JOIN people ON true JOIN rooms ON true`";
    expect(doorsIn("high/a.repository.ts", source)).toEqual([]);
    expect(doorsIn("beside/a.repository.ts", source)).toEqual([
      "beside/a.repository.ts → deeds (high)",
      "beside/a.repository.ts → people (low)",
    ]);
  });
});
