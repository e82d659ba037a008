import { z } from "@hono/zod-openapi";
import leven from "leven";

/** Names longer than this are cut: comparing them would cost time, and nobody reads them. */
const SHOWN_NAME_CHARACTERS = 100;
/** A known name is worth naming when at most this share of it has to be changed. */
const NEAR_SHARE = 0.5;

/** A name that is not known where it was sent, as the field of an error and as a sentence. */
export interface UnknownName {
  readonly field: string;
  readonly sentence: string;
}

/**
 * Describes an unknown name in a request: a typo in a privacy setting must never go unnoticed.
 *
 * @param kind what is named, such as `form field`
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

/** A query of these parameters and no others. Unknown ones are reported along with every other fault. */
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
    // Also if known parameters are wrong: one answer lists all faults.
    { when: () => true },
  );
}

/** The query of a route that takes no parameters. */
export const emptyQuerySchema = querySchema({});
