import type { DetectionResponse } from "../revisions/detections.schemas.ts";
import type { Report } from "./report.schemas.ts";

/** The reason that was given for a mask or for leaving something open, as its code and text; null if there is none. */
export function reasonOf({ reason }: Pick<DetectionResponse, "reason">): string | null {
  return reason === undefined ? null : `${reason.code}: ${reason.text}`;
}

/** What a second reading of the output found. */
export function verificationOf(): Report["verification"] {
  return { status: "not_done", looked_at: { pictures: 0, frames: 0 }, findings: [] };
}
