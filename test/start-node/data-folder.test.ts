import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkDataFolder, deleteData } from "../../scripts/local/data-folder.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "veil-data-"));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

test("a folder that does not exist, an empty one and Veil's own are taken", async () => {
  await checkDataFolder(join(directory, "none"));
  await checkDataFolder(directory);
  await writeFile(join(directory, "account.json"), "{}");
  await writeFile(join(directory, "notes.txt"), "mine");
  await checkDataFolder(directory);
});

test("a folder of somebody's files is refused by name", async () => {
  await writeFile(join(directory, "important.txt"), "mine");
  await expect(checkDataFolder(directory)).rejects.toThrow(
    `${directory} holds files that are not Veil's, such as important.txt;`,
  );
});

test("forgetting the data deletes nothing else", async () => {
  await mkdir(join(directory, "state"));
  for (const name of ["state/db.sqlite", "account.json", "workers.log", "important.txt"])
    await writeFile(join(directory, name), "x");
  await deleteData(directory);
  expect(await readdir(directory)).toEqual(["important.txt"]);
  await deleteData(join(directory, "none"));
});
