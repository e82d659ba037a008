/** Deeper than any accepted value. */
const MOST_DEPTH = 64;
/** A number with fewer characters than this and no exponent is always finite. */
const SURELY_FINITE_CHARACTERS = 300;

/** A fault in JSON text that a parser would accept: its path, and a sentence about it. */
export interface JsonFault {
  /** The top-level name that contains the fault; undefined if there is none. */
  readonly field: string | undefined;
  sentence(parent?: string): string;
}

/** The value of JSON text, or a fault in it; undefined if it is not JSON. */
export function parseJson(
  text: string,
): { readonly value: unknown } | { readonly fault: JsonFault } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const fault = findFault(text);
  return fault === undefined ? { value } : { fault };
}

/** An object or array that is open at the current position of a scan. */
interface Open {
  /** The names so far, if it is an object. */
  readonly names: Set<string> | undefined;
  /** The name or index of the current value. */
  at: string | number;
  isNameNext: boolean;
}

/**
 * Finds what a JSON parser silently accepts: duplicate names, of which only the last would count, and numbers that exceed the
 * largest number.
 */
function findFault(text: string): JsonFault | undefined {
  const open: Open[] = [];
  for (let at = 0; at < text.length; at++) {
    const inner = open.at(-1);
    switch (text.charAt(at)) {
      case "{":
      case "[":
        if (open.length === MOST_DEPTH) return faultAt(open, `is nested deeper than ${MOST_DEPTH} levels`);
        open.push(
          text[at] === "{"
            ? { names: new Set(), at: "", isNameNext: true }
            : { names: undefined, at: 0, isNameNext: false },
        );
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (inner === undefined) break;
        if (typeof inner.at === "number") inner.at += 1;
        else inner.isNameNext = true;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (inner?.names !== undefined && inner.isNameNext) {
          const name = String(JSON.parse(text.slice(at, end + 1)));
          inner.at = name;
          inner.isNameNext = false;
          if (inner.names.has(name)) return faultAt(open, "is given more than once; send it once");
          inner.names.add(name);
        }
        at = end;
        break;
      }
      default: {
        const number = numberAt(text, at);
        if (number === undefined) break;
        if (isTooLarge(number))
          return faultAt(open, `is ${number.slice(0, 100)}; expected a number between -1e308 and 1e308`);
        at += number.length - 1;
      }
    }
  }
  return undefined;
}

function faultAt(open: readonly Open[], what: string): JsonFault {
  const steps = open.map(({ at }) => (typeof at === "number" ? `[${at}]` : `.${at.slice(0, 100)}`));
  const [first] = open;
  return {
    field: typeof first?.at === "string" ? first.at : undefined,
    sentence: (parent = "") => {
      const place = `${parent}${steps.join("")}`.replace(/^\./, "");
      return `${place === "" ? "The body" : `\`${place}\``} ${what}.`;
    },
  };
}

/** The end of the string that begins at `start`: the first quote after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === "\\") before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

const NUMBER = /-?\d[\d.eE+-]*/y;

function numberAt(text: string, at: number): string | undefined {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0];
}

function isTooLarge(number: string): boolean {
  if (number.length < SURELY_FINITE_CHARACTERS && !/e/i.test(number)) return false;
  return !Number.isFinite(Number(number));
}
