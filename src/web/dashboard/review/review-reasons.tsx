import type { ReviewReason } from "../../../records/review/review-reasons.ts";
import type { RuleSubject } from "../../../records/review/review-rules.schemas.ts";
import { shownName } from "../parts/format.tsx";

/** Why a person should review a file, in a few words. */
export function shownReason(reason: ReviewReason, isWaiting = true): string {
  switch (reason.kind) {
    case "detect_only":
      return isWaiting
        ? "Uploaded for review: no redacted file is made until you approve"
        : "Reviewed before it was redacted";
    case "verification":
      return reason.found === 1
        ? "The second reading has a finding"
        : `The second reading has ${reason.found} findings`;
    case "requested":
      return "Sent to review";
    case "many":
      return `${shownSubject(reason.subject)}: ${reason.found} found, more than ${reason.limit}`;
    case "doubtful":
      return `${shownSubject(reason.subject)}: ${reason.found} with a confidence from ${reason.fromPercent} to ${reason.toPercent}%`;
  }
}

/** The subject of a rule, in words. */
export function shownSubject(subject: RuleSubject): string {
  return subject === "all" ? "All together" : shownName(subject);
}
