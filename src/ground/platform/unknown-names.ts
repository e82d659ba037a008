import { z } from "@hono/zod-openapi";
import leven from "leven";

/** Longer names are truncated, because comparing them would take time and nobody reads them. */
const SHOWN_NAME_CHARACTERS = 100;
/** A known name is suggested if at most this share of it has to change. */
const NEAR_SHARE = 0.5;

/** An unknown name in a request: the field of the error, and a sentence about it. */
export interface UnknownName {
  readonly field: string;
  readonly sentence: string;
}

/**
 * Describes an unknown name in a request, because a typo in a privacy setting must never go unnoticed.
 *
 * @param kind the kind of name, such as `form field`
 */
export function describeUnknownName(
  kind: "form field" | "query parameter" | "property",
  sentName: string,
  knownNames: readonly string[],
): UnknownName {
  const name = sentName.slice(0, SHOWN_NAME_CHARACTERS);
  const field = name.replace(/\[.*$/, "");
  const nearest = findNearest(field, knownNames);
  const near = nearest === undefined ? "" : ` the nearest known one is \`${nearest}\`;`;
  const accepted =
    knownNames.length === 0 ? `this endpoint takes no ${kind}s` : `expected one of ${knownNames.join(", ")}`;
  return { field, sentence: `\`${name}\` is an unknown ${kind};${near} ${accepted}.` };
}

function findNearest(name: string, knownNames: readonly string[]): string | undefined {
  const [nearest] = knownNames
    .map((known) => ({ known, changes: leven(name.toLowerCase(), known.replace("[]", "")) }))
    .filter(({ known, changes }) => changes <= NEAR_SHARE * known.length)
    .toSorted((first, second) => first.changes - second.changes);
  return nearest?.known;
}

/** A query with only these parameters. Unknown ones are reported together with all other errors. */
export function querySchema<T extends z.ZodRawShape>(shape: T) {
  const knownNames = Object.keys(shape);
  return z.looseObject(shape).superRefine(
    (query: object, context) => {
      for (const sentName of Object.keys(query)) {
        if (knownNames.includes(sentName)) continue;
        const { field, sentence } = describeUnknownName("query parameter", sentName, knownNames);
        context.addIssue({ code: "custom", path: [field], message: sentence });
      }
    },
    // Runs even if known parameters are invalid, so that one response lists all errors.
    { when: () => true },
  );
}

/** The query of a route that takes no parameters. */
export const emptyQuerySchema = querySchema({});
