import type { DetectionResponse, DetectionsQuery } from "./detections.schemas.ts";

/** Whether a detection is listed. */
export type DetectionsFilter = (detection: Pick<DetectionResponse, "category" | "redacted">) => boolean;

/** The filter of a query; undefined if it asks for all detections. */
export function filterOf({ redacted, category: categories }: DetectionsQuery): DetectionsFilter | undefined {
  if (redacted === undefined && categories === undefined) return undefined;
  return ({ category, redacted: isRedacted }) =>
    (redacted === undefined || isRedacted === (redacted === "true")) &&
    (categories === undefined || (category !== null && categories.includes(category)));
}
