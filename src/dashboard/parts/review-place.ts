import type { QueuePlace } from "../data/review.data.ts";
import { shownNumber } from "./format.tsx";

/** Where a file stands in the queue, in words. */
export function placeText({ position, waiting, isMore }: QueuePlace): string {
  const all = `${shownNumber(waiting)}${isMore ? "+" : ""}`;
  return position === undefined ? `${all} to review` : `${shownNumber(position)} of ${all} to review`;
}
