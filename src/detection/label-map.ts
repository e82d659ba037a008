import { z } from "zod";
import { REDACTION_CATEGORIES } from "../vocabulary/media-values.ts";

/** Which of an endpoint's labels mean which category; labels that are not named are ignored. */
const labelMapSchema = z.record(z.string(), z.enum(REDACTION_CATEGORIES));

export type LabelMap = z.output<typeof labelMapSchema>;

/** Reads a map of labels from JSON. @throws if it is none */
export function readLabelMap(text: string): LabelMap {
  return labelMapSchema.parse(JSON.parse(text));
}

/** Whether a text is JSON of which labels mean which category. */
export function isLabelMap(text: string): boolean {
  try {
    readLabelMap(text);
    return true;
  } catch {
    return false;
  }
}
