/**
 * Prints every sentence that a user or an operator can see, in source order, so that a person can proofread the product: `npm run
 * sentences`, or `npm run sentences -- src/web/dashboard` for a part.
 */
import { readFile, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { sentencesOf } from "./lib/sentences.ts";
import { ROOT } from "./lib/wrangler.ts";

const FOLDERS = ["src", "packages/client/src", "scripts", "inference/src"];
const SOURCE = /\.(?:ts|tsx|js)$/;
/** Generated files, and files without texts for people. */
const LEFT_OUT = /openapi\.generated\.ts$|\.d\.ts$|png\/assembly\/|secret-patterns\.ts$|scene\.ts$/;

const chosen = process.argv.slice(2);
let count = 0;
for (const folder of chosen.length > 0 ? chosen : FOLDERS) {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  for (const name of names.filter((file) => SOURCE.test(file) && !LEFT_OUT.test(file)).toSorted()) {
    const path = join(ROOT, folder, name);
    const sentences = sentencesOf(path, await readFile(path, "utf8"));
    count += sentences.length;
    if (sentences.length > 0) console.log(`\n${relative(ROOT, path)}`);
    for (const { line, text } of sentences) console.log(`${String(line).padStart(5)}  ${text}`);
  }
}
console.log(`\n${count} sentences`);
