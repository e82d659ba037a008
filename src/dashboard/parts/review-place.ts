import type { QueuePlace } from "../data/review.data.ts";
import { shownNumber } from "./format.tsx";

/**
 * Where a file stands in the queue, in words. What the visit has decided on counts as the beginning of the queue, so that the place
 * goes up while the queue gets shorter.
 */
export function placeText({ position, waiting, isMore }: QueuePlace, decided = 0): string {
  const all = (number: number): string => `${shownNumber(number)}${isMore ? "+" : ""} to review`;
  if (position === undefined) return all(waiting);
  return `${shownNumber(position + decided)} of ${all(waiting + decided)}`;
}
