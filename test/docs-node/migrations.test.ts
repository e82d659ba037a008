import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { MIGRATIONS_DIRECTORY, migrationFiles } from "../../scripts/local/migration-files.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { schemaOf } from "./support/sqlite-schema.ts";

const execute = promisify(execFile);

async function migrations(): Promise<string> {
  const files = (await migrationFiles()).map(
    async (name) => await readFile(join(MIGRATIONS_DIRECTORY, name), "utf8"),
  );
  return (await Promise.all(files)).join("\n");
}

test("the migrations make the tables, columns, keys and indexes that the code declares, and no others", async () => {
  const { stdout } = await execute("npm", ["run", "--silent", "schema"], { cwd: ROOT });
  expect(schemaOf(await migrations())).toEqual(schemaOf(stdout));
});

test.for([
  ["a column is missing", "  filename TEXT NOT NULL,\n", ""],
  ["a column may be null", "  filename TEXT NOT NULL,", "  filename TEXT,"],
  ["a column has another type", "  filename TEXT NOT NULL,", "  filename BLOB NOT NULL,"],
  ["a default differs", "attempts INTEGER NOT NULL DEFAULT 0", "attempts INTEGER NOT NULL DEFAULT 1"],
  ["a primary key differs", "PRIMARY KEY (queue, account_id)", "PRIMARY KEY (account_id, queue)"],
  ["a foreign key does not cascade", "REFERENCES users (id) ON DELETE CASCADE", "REFERENCES users (id)"],
  ["an index is missing", "CREATE INDEX media_by_account ON media (account_id, created_at, id);", ""],
  ["an index is unique", "CREATE INDEX media_by_account ", "CREATE UNIQUE INDEX media_by_account "],
  ["an index covers other rows", "WHERE status = 'queued'", "WHERE status = 'failed'"],
])("the comparison notices when %s", async ([, before = "", after = ""]) => {
  const text = await migrations();
  expect(text).toContain(before);
  expect(schemaOf(text.replace(before, after))).not.toEqual(schemaOf(text));
});
