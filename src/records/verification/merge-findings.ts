import { overlapOf } from "../../pixels/geometry/box.ts";
import type { VerificationFinding } from "./verification.ts";

/** The most findings that are stored. Nobody would read more. */
export const MOST_FINDINGS = 500;
/** Two findings are one if they are at most this far apart in time. Frames are sampled more often. */
const APART_SECONDS = 0.7;
/** Two findings are at one place from this intersection over union. */
const SAME_PLACE = 0.2;

/** A finding in a part of a video. */
export interface TimedFinding extends VerificationFinding {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

interface Group {
  finding: TimedFinding;
  /** Where it was last. */
  box: VerificationFinding["box"];
}

/**
 * Merges findings of one object in consecutive frames into one that lasts from the first to the last. Its box is the one of the
 * most confident. Of more than {@link MOST_FINDINGS}, the most confident are left.
 */
export function mergeFindings(findings: readonly TimedFinding[]): TimedFinding[] {
  let open: Group[] = [];
  const merged: TimedFinding[] = [];
  for (const finding of findings.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const isOver = ({ finding: { endSeconds } }: Group): boolean =>
      finding.startSeconds - endSeconds > APART_SECONDS;
    merged.push(...open.filter(isOver).map((group) => group.finding));
    open = open.filter((group) => !isOver(group));
    const same = open.find((group) => isContinuedBy(group, finding));
    if (same === undefined) {
      open.push({ finding, box: finding.box });
      continue;
    }
    const surest = finding.confidence > same.finding.confidence ? finding : same.finding;
    same.finding = {
      ...surest,
      startSeconds: same.finding.startSeconds,
      endSeconds: Math.max(same.finding.endSeconds, finding.endSeconds),
    };
    same.box = finding.box;
  }
  merged.push(...open.map((group) => group.finding));
  return merged
    .toSorted((a, b) => b.confidence - a.confidence)
    .slice(0, MOST_FINDINGS)
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
}

/** Each gap of a track is a finding of its own. */
function isContinuedBy({ finding, box }: Group, next: TimedFinding): boolean {
  const { kind, category } = finding;
  return (
    kind !== "unseen_gap" &&
    kind === next.kind &&
    category === next.category &&
    overlapOf(box, next.box) >= SAME_PLACE
  );
}
