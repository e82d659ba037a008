import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/lib/wrangler.ts";

/** A named function that is written as a constant: a top-level arrow function without a type annotation. */
const ARROW_CONSTANT =
  /^(?:export )?const (\w+) = (?:async )?(?:<[^\n]*>)?\((?:[^()\n]*|\n(?: {2}[^\n]*\n)*)\)(?:: [^\n=]+)? =>/gm;
const PRIVATE_WORD = /^ {2}private (?!(?:readonly )?constructor)/m;

function arrowsIn(code: string): string[] {
  return [...code.matchAll(ARROW_CONSTANT)].map(([, name = ""]) => name);
}

async function readSources(): Promise<{ file: string; code: string }[]> {
  const listed = execFileSync("git", ["ls-files", "-z", "*.ts", "*.tsx"], { cwd: ROOT, encoding: "utf8" });
  const files = listed.split("\0").filter((file) => file !== "" && !file.includes("generated"));
  return await Promise.all(
    files.map(async (file) => ({ file, code: await readFile(join(ROOT, file), "utf8") })),
  );
}

test("named functions are declarations, and what is private is so by #", async () => {
  const sources = await readSources();
  expect(sources.length).toBeGreaterThan(500);
  const arrows = sources.flatMap(({ file, code }) => arrowsIn(code).map((name) => `${file}: ${name}`));
  expect(arrows).toEqual([]);
  const words = sources.filter(({ code }) => PRIVATE_WORD.test(code)).map(({ file }) => file);
  expect(words).toEqual([]);
});

describe("what counts as a function that is written as a constant", () => {
  test.for([
    ["const half = (whole: number): number => whole / 2;", ["half"]],
    ["export const load = async <T>(path: string): Promise<T> => {", ["load"]],
    ["const half = (\n  whole: number,\n): number => whole / 2;", ["half"]],
    ["const half: Map = (whole) => whole / 2;", []],
    ["const size = (4 + 4) * 2;", []],
    ["  const within = (at: number) => at;", []],
  ] as const)("%s", ([code, names]) => {
    expect(arrowsIn(code)).toEqual(names);
  });
});
