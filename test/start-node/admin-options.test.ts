import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorCommandsFor, type OperatorCommand } from "../node-support/operator-commands.ts";

const execute = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

let directory: string;
let admin: OperatorCommand;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "veil-admin-options-"));
  admin = await operatorCommandsFor(directory);
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

test.each([
  [["account", "lsit"], /^There is no command "account lsit"; did you mean account list\?\n$/],
  [
    ["key", "revoke", "--key", "k", "--account", "a"],
    /^--account is not an option of key revoke:\n\n {2}key revoke --key ID/,
  ],
  [["account", "create", "--name", "x", "--images", "5"], /^--images is not an option of account create:/],
  [
    ["account", "set-retention", "--account", "a", "--source-hours", "99999999999"],
    /^--source-hours is "99999999999"; expected a whole number from 0 to 87600, or "none"\.\n$/,
  ],
  [
    ["account", "list", "--envv", "x"],
    /^Unknown option '--envv'; npm run -s admin -- --help lists the options\.\n$/,
  ],
  [["account", "suspend"], /^--account is missing;/],
  [
    ["account", "set-plan", "--account", "a", "--plan", "Free", "--images", "-5"],
    /^--images is "-5"; expected a whole number of 1 or more, or "none"\.\n$/,
  ],
  [["account", "resume", "--account", "a", "--reason", "b"], /^--reason is not an option of account resume:/],
])("npm run admin -- %j is refused before anything is done", async (args, sentence) => {
  await expect(admin(...args)).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(sentence) as string,
  });
});

test("the help of one command is about it alone", async () => {
  expect(await admin("account", "set-retention", "--help")).toMatch(
    /^ {2}account set-retention --account ID .*\n {10}.*\n {10}.*\n$/,
  );
});

test("a noun without a verb lists its commands", async () => {
  const { stdout } = await execute(process.execPath, ["scripts/admin.ts", "member"], { cwd: ROOT });
  expect(stdout).toMatch(/^ {2}member list .*\n {2}member remove .*\n {10,}end a membership.*\n$/);
});
