import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { Secrets } from "./worker-secrets.ts";

/** The values in a secrets file, and a sentence about each faulty line. */
export interface SecretsFile {
  readonly secrets: Secrets;
  readonly faults: readonly string[];
}

/**
 * Reads a file of secrets with one `NAME=value` per line. A value with `#` needs quotes, because `#` begins a comment.
 *
 * @throws Error if the file cannot be read
 */
export async function readSecrets(file: string): Promise<SecretsFile> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) throw new Error(`--secrets is ${file}, which cannot be read.`);
  const lineOf = new Map<string, number>();
  const faults: string[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const { name, fault } = readLine(line.trim());
    const earlier = name === undefined ? undefined : lineOf.get(name);
    if (fault !== undefined) faults.push(`Line ${index + 1} of ${file} ${fault}.`);
    if (name === undefined) continue;
    if (earlier !== undefined) {
      faults.push(`Lines ${earlier} and ${index + 1} of ${file} both set ${name}; delete one of them.`);
    }
    lineOf.set(name, index + 1);
  }
  return { secrets: parseEnv(text) as Record<string, string>, faults };
}

/** The name that a line sets, and the error in the line, without its value. */
function readLine(line: string): { name?: string; fault?: string } {
  if (line === "" || line.startsWith("#")) return {};
  const [, name, text = ""] = /^(?:export\s+)?([A-Z][A-Z\d_]*)\s*=(.*)$/.exec(line) ?? [];
  if (name === undefined) return { fault: "is not in the form NAME=value" };
  const value = text.trim();
  if (/^(?:|#.*|""|''|``)$/.test(value))
    return { name, fault: `gives ${name} no value; add it or delete the line` };
  if (/^["'`]/.test(value) || !/\S#/.test(value)) return { name };
  return {
    name,
    fault: `has a # in the value of ${name}, where a comment would begin; put the value in quotes`,
  };
}
