import type { QueuePlace } from "./review.data.ts";
import { shownNumber } from "../parts/format.tsx";

/**
 * A file's position in the queue, in words. Files that this visit has decided count as the beginning of the queue, so that the position
 * rises while the queue shrinks.
 */
export function placeText({ position, waiting, isMore }: QueuePlace, decided = 0): string {
  const all = (number: number): string => `${shownNumber(number)}${isMore ? "+" : ""} to review`;
  if (position === undefined) return all(waiting);
  return `${shownNumber(position + decided)} of ${all(waiting + decided)}`;
}
