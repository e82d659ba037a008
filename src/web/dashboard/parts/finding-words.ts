import type { VerificationResponse } from "../../../records/verification/verification.schemas.ts";
import { shownName } from "./format.tsx";

export type ShownFinding = VerificationResponse["findings"][number];

/** A finding of a second reading, in a few words; for videos with its time. */
export function shownFinding(finding: ShownFinding): string {
  const { start_seconds: seconds } = finding;
  return seconds === undefined ? wordsOf(finding) : `${shownTime(seconds)} ${wordsOf(finding)}`;
}

/** Minutes and seconds, as the editor shows them. */
function shownTime(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), Math.floor(seconds % 60)];
  return `${minutes}:${String(rest).padStart(2, "0")}`;
}

function wordsOf({ kind, category, confidence }: ShownFinding): string {
  const name = shownName(category);
  switch (kind) {
    case "found_again":
      return `${name}, ${Math.round(confidence * 100)}%: still visible`;
    case "readable":
      return `${name}: can still be read`;
    case "unseen_gap":
      return `${name}: position computed, not seen`;
  }
}

/** The result of a second reading, in a few words. */
export function shownVerification({ status, findings }: VerificationResponse): string {
  if (status === "not_done") return "Not done";
  if (status === "passed") return "Passed";
  return findings.length === 1 ? "1 finding" : `${findings.length} findings`;
}
