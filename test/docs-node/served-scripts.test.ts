import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { tightenScript } from "../../src/style/tighten.ts";

/** What is used of the compiler that the client's package brings. */
interface Compiler {
  transpileModule(
    code: string,
    options: { compilerOptions: object; fileName: string; reportDiagnostics: boolean },
  ): { readonly outputText: string; readonly diagnostics: readonly { readonly messageText: unknown }[] };
}

const compiler = createRequire(join(ROOT, "packages/client/package.json"))("typescript") as Compiler;
const FOLDERS = ["src/dashboard/assets", "src/docs/assets"];
const scripts = (await Promise.all(FOLDERS.map(scriptsIn))).flat();

async function scriptsIn(folder: string): Promise<string[]> {
  const names = await readdir(join(ROOT, folder));
  return names.filter((name) => name.endsWith(".js")).map((name) => join(folder, name));
}

/** A script as a compiler reads it, without comments and indentation; faults of its syntax first. */
function readCode(code: string): unknown[] {
  const { outputText, diagnostics } = compiler.transpileModule(code, {
    compilerOptions: { allowJs: true, removeComments: true, target: 99, module: 99 },
    fileName: "script.js",
    reportDiagnostics: true,
  });
  const lines = outputText.split("\n").map((line) => line.trim());
  return [diagnostics.map(({ messageText }) => messageText), lines.filter((line) => line !== "")];
}

test.for(scripts)("%s says the same without its comments", async (name) => {
  const code = await readFile(join(ROOT, name), "utf8");
  const tight = tightenScript(code);
  expect(tight.length).toBeLessThan(code.length);
  expect(readCode(tight)).toEqual(readCode(code));
});
