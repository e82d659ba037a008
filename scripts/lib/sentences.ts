import { createRequire } from "node:module";
import { join } from "node:path";
import type * as TypeScript from "../../packages/client/node_modules/typescript/lib/typescript.js";
import { ROOT } from "./wrangler.ts";

// The client's package brings the TypeScript whose parser can be called; the newer one at the root has none for programs.
const load = createRequire(join(ROOT, "packages/client/package.json"));
const ts = load("typescript") as typeof TypeScript;

/** One text as it stands in a source, with `…` in the place of what is put in when it is shown. */
interface Sentence {
  readonly line: number;
  readonly text: string;
}

const TWO_WORDS = /\p{L}{2,}[,:;.]? \p{L}+/u;
const ONE_WORD = /\p{L}{2,}/u;
/** Statements of SQL, headers of HTTP, options of the video engine, drawings, media types: texts for machines. */
const FOR_MACHINES =
  /\b(?:SELECT|INSERT|UPDATE|DELETE FROM|CREATE|PRAGMA|WHERE|IS (?:NOT )?NULL|coalesce)\b|= \?\d|_id = |max-age=|default-src|^--|^ ?-\w|^<|^[a-z]+\/[a-z]|^openssl |^\.\w/u;
/** Attributes of elements that browsers read, not people. */
const ATTRIBUTES_FOR_MACHINES =
  /^(?:action|aria-(?!label$).+|autocomplete|charset|class|content|current|data-.+|enctype|for|formaction|href|icon|id|inputmode|kind|lang|list|loading|media|method|name|part|pattern|preload|rel|role|scope|src|type|value|viewBox)$/u;

/** What people see of a source: the texts of its JSX, and every text of two words or more. */
export function sentencesOf(path: string, source: string): readonly Sentence[] {
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
    // What is put into a text may hold texts of its own.
    if (ts.isTemplateExpression(node)) for (const span of node.templateSpans) visit(span.expression);
  }
}

function textOf(node: TypeScript.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join("");
}
