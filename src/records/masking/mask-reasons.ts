import type { StoredDetection } from "../media/detections.ts";
import { textsOf, type Reason, type ReasonList, type ReasonTexts } from "./reasons.schemas.ts";
import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";
import type { MaskingOptions, RequestedRegion } from "./masking-options.ts";

/** The most codes that an error names. */
const MOST_NAMED = 20;

/** Where masks get their reasons from: the text of each code, and the default code of each category. */
export interface ReasonSource {
  readonly texts: ReasonTexts;
  readonly defaults: ReasonList["defaults"];
}

/** The reasons of an upload: the account's list, and the texts of the codes that the upload named. */
export function reasonsOfUpload(list: ReasonList, { reasonTexts }: MaskingOptions): ReasonSource {
  return { texts: { ...textsOf(list), ...reasonTexts }, defaults: list.defaults };
}

/** The reasons of a video's revision, as they were at the time of the request. */
export function reasonsOfRevision({ reasonTexts = {}, defaultReasons = {} }: MaskingOptions): ReasonSource {
  return { texts: reasonTexts, defaults: defaultReasons };
}

/** What decides the reason of a mask: the code that was chosen for it (null for none), and its category. */
export interface Reasoned {
  readonly category?: RedactionCategory | null | undefined;
  readonly reason?: string | null | undefined;
}

/** The code of a mask: the chosen one, or else its category's default. Undefined if it has none. */
export function codeOf({ category, reason }: Reasoned, { defaults }: ReasonSource): string | undefined {
  if (reason !== undefined) return reason ?? undefined;
  return category === null || category === undefined ? undefined : defaults[category];
}

/** The reason of a mask with its text. Undefined if it has none. */
export function reasonOf(mask: Reasoned, source: ReasonSource): Reason | undefined {
  const code = codeOf(mask, source);
  const text = code === undefined ? undefined : source.texts[code];
  return code === undefined || text === undefined ? undefined : { code, text };
}

/** A photo's detections, of which each hidden one carries its code, and the texts of all these codes. */
export function withReasons(
  detections: readonly StoredDetection[],
  source: ReasonSource,
): { readonly detections: StoredDetection[]; readonly reasonTexts: ReasonTexts } {
  const reasonTexts: Record<string, string> = {};
  const reasoned = detections.map((thing): StoredDetection => {
    // The code of a detection that is visible stays, in case it is hidden again.
    const reason = thing.isOpen === true ? undefined : reasonOf(thing, source);
    const kept = thing.reason ?? undefined;
    const keptText = kept === undefined ? undefined : source.texts[kept];
    if (kept !== undefined && keptText !== undefined) reasonTexts[kept] = keptText;
    if (reason === undefined) return thing;
    reasonTexts[reason.code] = reason.text;
    return { ...thing, reason: reason.code };
  });
  return { detections: reasoned, reasonTexts };
}

/** Codes in a request by the place that names each. */
export type NamedCodes = readonly (readonly [place: string, code: string])[];

/** The codes that a list of regions names. */
export function codesOfRegions(regions: readonly RequestedRegion[]): NamedCodes {
  return regions.flatMap(({ reason }, index) =>
    typeof reason === "string" ? [[`regions[${index}].reason`, reason] as const] : [],
  );
}

/** The errors of codes that the account does not have, as sentences. */
export function codeFaults(named: NamedCodes, texts: ReasonTexts): string[] {
  const codes = Object.keys(texts);
  const more = codes.length > MOST_NAMED ? ` and ${codes.length - MOST_NAMED} more` : "";
  const accepted =
    codes.length === 0
      ? "no reason, because the account's list of reasons is empty"
      : `a code of the account's list of reasons: ${codes.slice(0, MOST_NAMED).join(", ")}${more}`;
  return named
    .filter(([, code]) => !Object.hasOwn(texts, code))
    .slice(0, MOST_NAMED)
    .map(([place, code]) => `\`${place}\` is ${JSON.stringify(code)}; expected ${accepted}.`);
}

/** The texts of the codes that are named. */
export function textsOfCodes(codes: Iterable<string>, texts: ReasonTexts): ReasonTexts {
  return Object.fromEntries(
    [...new Set(codes)].flatMap((code) => {
      const text = Object.hasOwn(texts, code) ? texts[code] : undefined;
      return text === undefined ? [] : [[code, text] as const];
    }),
  );
}
