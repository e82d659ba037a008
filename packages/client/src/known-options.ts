import { VeilError } from "./errors.ts";

/** Fields of the API whose options have different names. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([["redactionMethod", "method"]]);

/**
 * Rejects options that a method does not have. Types do not catch them in plain JavaScript, and the call would do something
 * other than intended.
 *
 * @throws VeilError that names them, suggests similar options, and lists the valid ones
 */
export function refuseUnknown(given: object, names: readonly string[], consequence = ""): void {
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  const hints = unknown.map((name) => `${JSON.stringify(name)}${hintFor(name, names)}`);
  const label = unknown.length === 1 ? "Unknown option" : "Unknown options";
  throw new VeilError(`${label} ${hints.join(", ")}.${consequence} Options: ${names.join(", ")}.`);
}

function hintFor(name: string, names: readonly string[]): string {
  const camelCase = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const snakeCase = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const known = [OTHER_NAMES.get(camelCase) ?? camelCase, snakeCase].find((other) => names.includes(other));
  return known === undefined ? "" : ` (did you mean ${JSON.stringify(known)}?)`;
}
