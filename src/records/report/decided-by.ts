import { isRequestedWith } from "../masking/detection-ids.ts";
import type { ReportedVersion } from "./report.repository.ts";

/** The versions of a file that decide what is hidden. */
export interface Deciders {
  /** The upload, which may have been deleted. */
  readonly firstId: string;
  /** The version that is reported. */
  readonly mediaId: string;
  readonly versions: readonly Pick<ReportedVersion, "id" | "kind" | "madeBy">[];
}

/** A detection, and whether the analysis alone would have hidden it. */
export interface DecidedDetection {
  readonly id: string;
  readonly origin: "detector" | "request";
  readonly isHidden: boolean;
  /** Undefined if the analysis is deleted. */
  readonly isHiddenByDefault: boolean | undefined;
  /** Whether it lies in a region that the upload asked to leave visible. */
  readonly isIgnored: boolean;
}

/** Who decided that a detection is hidden or visible: `detector`, `request`, or a member's ID. Null if it is not known. */
export function decidedBy(detection: DecidedDetection, deciders: Deciders): string | null {
  const { origin, isHidden, isHiddenByDefault, isIgnored } = detection;
  if (origin === "request") return isHidden ? requesterOf(detection, deciders) : makerOf(deciders);
  if (isHiddenByDefault === undefined) return null;
  if (isHidden !== isHiddenByDefault) return makerOf(deciders);
  return isIgnored && !isHidden ? "request" : "detector";
}

function makerOf({ mediaId, versions }: Deciders): string | null {
  return versions.find(({ id }) => id === mediaId)?.madeBy ?? null;
}

function requesterOf({ id: detectionId }: DecidedDetection, { firstId, versions }: Deciders): string | null {
  const version = versions.find(({ id }) => isRequestedWith({ mediaId: id }, detectionId));
  // A retry repeats what the upload asked for.
  if (version?.kind === "retry") return "request";
  if (version !== undefined) return version.madeBy;
  return isRequestedWith({ mediaId: firstId }, detectionId) ? "request" : null;
}
