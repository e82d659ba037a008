import type { Candidate } from "./assignment.ts";
import { faintCostOf, overlapInPlace, pairAtLeastCost, type LinkNode } from "./link-cost.ts";

/** Longest time between two sightings of one object. An object that stays in place may be hidden longer. */
const LONGEST_GAP_SECONDS = 2;
const LONGEST_GAP_IN_PLACE_SECONDS = 6;
const IN_PLACE_OVERLAP = 0.3;

/**
 * Closes gaps: links ends of chains with beginnings of later ones if an object was hidden for a while.
 *
 * @returns the pairs to link
 */
export function closeGaps(nodes: readonly LinkNode[]): (readonly [LinkNode, LinkNode])[] {
  const ends = nodes.filter((node) => node.next === undefined);
  const beginnings = nodes.filter((node) => node.previous === undefined);
  const candidates: Candidate[] = [];
  let firstLater = 0;
  for (const [row, from] of ends.entries()) {
    while ((beginnings[firstLater]?.sample ?? Infinity) <= from.sample) firstLater++;
    for (let column = firstLater; column < beginnings.length; column++) {
      const to = beginnings[column] as LinkNode;
      const gapSeconds = to.sighting.timeSeconds - from.sighting.timeSeconds;
      if (gapSeconds > LONGEST_GAP_IN_PLACE_SECONDS) break;
      const isInPlace = overlapInPlace(from.sighting, to.sighting) >= IN_PLACE_OVERLAP;
      if (gapSeconds > LONGEST_GAP_SECONDS && !isInPlace) continue;
      const cost = faintCostOf(from, to);
      if (cost < 1) candidates.push({ row, column, cost });
    }
  }
  return pairAtLeastCost(candidates, ends, beginnings);
}
