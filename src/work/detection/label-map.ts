import { z } from "zod";
import { REDACTION_CATEGORIES } from "../../ground/vocabulary/categories.ts";

/** The category of each of an endpoint's labels. Labels without an entry are ignored. */
const labelMapSchema = z.record(z.string(), z.enum(REDACTION_CATEGORIES));

export type LabelMap = z.output<typeof labelMapSchema>;

/** Reads a label map from JSON. @throws if the text is not a valid label map */
export function readLabelMap(text: string): LabelMap {
  return labelMapSchema.parse(JSON.parse(text));
}

/** Whether a text is a valid label map in JSON. */
export function isLabelMap(text: string): boolean {
  try {
    readLabelMap(text);
    return true;
  } catch {
    return false;
  }
}
