import type { DetectionChoice } from "./masking-options.ts";

/** What a choice is made of: a detection by its id, and whether it is left open where nobody says otherwise. */
export interface ChosenDetection {
  readonly id?: string | undefined;
  readonly isOpenByDefault?: boolean | undefined;
}

/** Whether a choice hides a detection. */
export function isHiddenByChoice({
  redact,
  except,
}: DetectionChoice): (detection: ChosenDetection) => boolean {
  const named = new Set(typeof redact === "string" ? [] : redact);
  const excepted = new Set(except);
  return ({ id = "", isOpenByDefault }) =>
    (redact === "all" ? isOpenByDefault !== true : named.has(id)) && !excepted.has(id);
}
