import type { DetectionChoice } from "./masking-options.ts";

/** What a choice needs of a detection: its ID, and whether it stays visible by default. */
export interface ChosenDetection {
  readonly id?: string | undefined;
  readonly isOpenByDefault?: boolean | undefined;
}

/** Returns a function that says whether a choice hides a detection. */
export function isHiddenByChoice({
  redact,
  except,
}: DetectionChoice): (detection: ChosenDetection) => boolean {
  const named = new Set(typeof redact === "string" ? [] : redact);
  const excepted = new Set(except);
  return ({ id = "", isOpenByDefault }) =>
    (redact === "all" ? isOpenByDefault !== true : named.has(id)) && !excepted.has(id);
}
