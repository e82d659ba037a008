/**
 * Prints every sentence that a user or an operator can see, in source order, so that a person can proofread the product: `npm run
 * sentences`, or `npm run sentences -- src/web/dashboard` for a part.
 */
import { readFile, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { createRequire } from "node:module";
import { ROOT } from "./lib/wrangler.ts";
import type * as TypeScript from "../packages/client/node_modules/typescript/lib/typescript.js";

// The client's package depends on a version of TypeScript with a parser API. The newer version at the root has none.
const load = createRequire(join(ROOT, "packages/client/package.json"));
const ts = load("typescript") as typeof TypeScript;

/** A text in a source, with `…` in place of inserted values. */
interface Sentence {
  readonly line: number;
  readonly text: string;
}

const TWO_WORDS = /\p{L}{2,}[,:;.]? \p{L}+/u;
const ONE_WORD = /\p{L}{2,}/u;
/** Texts that only machines read: SQL, HTTP headers, options of the video engine, drawings, media types. */
const FOR_MACHINES =
  /\b(?:SELECT|INSERT|UPDATE|DELETE FROM|CREATE|PRAGMA|WHERE|IS (?:NOT )?NULL|coalesce)\b|= \?\d|_id = |max-age=|default-src|^--|^ ?-\w|^<|^[a-z]+\/[a-z]|^openssl |^\.\w/u;
/** Attributes that only browsers read. */
const ATTRIBUTES_FOR_MACHINES =
  /^(?:action|aria-(?!label$).+|autocomplete|charset|class|content|current|data-.+|enctype|for|formaction|href|icon|id|inputmode|kind|lang|list|loading|media|method|name|part|pattern|preload|rel|role|scope|src|type|value|viewBox)$/u;

/** The texts of a source that people see: all JSX texts, and every string of two words or more. */
function sentencesOf(path: string, source: string): readonly Sentence[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: Sentence[] = [];
  visit(file);
  return found;

  function visit(node: TypeScript.Node): void {
    const text = textOf(node);
    if (text === undefined) {
      ts.forEachChild(node, visit);
      return;
    }
    const attribute = ts.isJsxAttribute(node.parent) ? node.parent.name.getText(file) : undefined;
    if (attribute !== undefined && ATTRIBUTES_FOR_MACHINES.test(attribute)) return;
    const isJsx = attribute !== undefined || ts.isJsxText(node);
    const cleaned = text.replaceAll(/\s+/gu, " ").trim();
    if ((isJsx ? ONE_WORD : TWO_WORDS).test(cleaned) && !FOR_MACHINES.test(cleaned)) {
      found.push({ line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, text: cleaned });
    }
    // Inserted values may contain further texts.
    if (ts.isTemplateExpression(node)) for (const span of node.templateSpans) visit(span.expression);
  }
}

function textOf(node: TypeScript.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join("");
}

const FOLDERS = ["src", "packages/client/src", "scripts", "inference/src"];
const SOURCE = /\.(?:ts|tsx|js)$/;
/** Generated files, and files without texts for people. */
const LEFT_OUT = /openapi\.generated\.ts$|\.d\.ts$|\/assembly\/|secret-patterns\.ts$|scene\.ts$/;

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
