import { type Box, centeredBox, overlapOf } from "../../../pixels/geometry/box.ts";
import { assign, type Candidate } from "./assignment.ts";
import { isSure } from "./confidence.ts";
import { areRelated, type Sighting } from "./sightings.ts";

/** How far an object may be from its expected position, in its own widths and heights: immediately, and additionally per second. */
const REACH = 0.5;
const REACH_PER_SECOND_UNKNOWN_SPEED = 7;
const REACH_PER_SECOND_KNOWN_SPEED = 3;
/** Smallest size, as a share of the frame, by which distances are measured. */
const LEAST_MEASURE = 0.02;
/** How much an object may grow or shrink, as the logarithm of the ratio of its areas: immediately, and additionally per second. */
const GROWTH = 0.7;
const GROWTH_PER_SECOND = 2;
/** Beyond this distance in its own size, without a known speed, the object may be a different one. */
const DOUBTFUL_DISTANCE = 0.8;
/** A known speed that leads within this share of the reach removes that doubt. */
const CONFIRMING_DISTANCE = 0.5;
/** How much a faint sighting must overlap its expected position. */
const FAINT_OVERLAP = 0.3;

/** A sighting within its shot, and the sightings that it is linked with. */
export interface LinkNode {
  readonly sighting: Sighting;
  /** Index of its sample within the shot. */
  readonly sample: number;
  previous: LinkNode | undefined;
  next: LinkNode | undefined;
}

/** The pairs with the least total cost. */
export function pairAtLeastCost(
  candidates: readonly Candidate[],
  rows: readonly LinkNode[],
  columns: readonly LinkNode[],
): (readonly [LinkNode, LinkNode])[] {
  return assign(candidates).map(({ row, column }) => [rows[row] as LinkNode, columns[column] as LinkNode]);
}

/** Whether a node's sighting is sure. */
export function isSureNode({ sighting }: LinkNode): boolean {
  return isSure(sighting);
}

/** Cost of linking two nodes, from their overlap, distance, change of size, and categories. A cost of 1 or more is impossible. */
export function costOf(from: LinkNode, to: LinkNode): number {
  const a = from.sighting;
  const b = to.sighting;
  if (!areRelated(a.category, b.category)) return 1;
  const seconds = b.timeSeconds - a.timeSeconds;
  const growth = Math.abs(Math.log((a.width * a.height) / (b.width * b.height)));
  const growthLimit = GROWTH + GROWTH_PER_SECOND * seconds;
  if (growth > growthLimit) return 1;
  // Nearly all pairs of a crowd end here, so their overlaps are not computed.
  const forwards = missedBy(a, b, from.previous?.sighting);
  if (forwards >= 2) return 1;
  const distance = (forwards + missedBy(b, a, to.next?.sighting)) / 2;
  if (distance >= 1) return 1;
  const overlap = (overlapAhead(a, b, from.previous?.sighting) + overlapAhead(b, a, to.next?.sighting)) / 2;
  const strangeness = a.category === b.category ? 0 : 0.1;
  return 0.3 * (1 - overlap) + 0.5 * distance + 0.1 * (growth / growthLimit) + strangeness;
}

/** The distance by which `from` misses `to` if it continues as it moved from `before`, as a share of the reach. */
function missedBy(from: Sighting, to: Sighting, before: Sighting | undefined): number {
  const share = shareAhead(from, to, before);
  const perSecond = before === undefined ? REACH_PER_SECOND_UNKNOWN_SPEED : REACH_PER_SECOND_KNOWN_SPEED;
  const acrossX = from.centreX + share * (from.centreX - (before?.centreX ?? 0)) - to.centreX;
  const acrossY = from.centreY + share * (from.centreY - (before?.centreY ?? 0)) - to.centreY;
  const reach = REACH + perSecond * Math.abs(to.timeSeconds - from.timeSeconds);
  return Math.hypot(acrossX / meanOf(from.width, to.width), acrossY / meanOf(from.height, to.height)) / reach;
}

/** The overlap of `to` with `from` if that continues as it moved from `before`. */
function overlapAhead(from: Sighting, to: Sighting, before: Sighting | undefined): number {
  const share = shareAhead(from, to, before);
  const expected = {
    ...from,
    centreX: from.centreX + share * (from.centreX - (before?.centreX ?? 0)),
    centreY: from.centreY + share * (from.centreY - (before?.centreY ?? 0)),
  };
  return overlapOf(boxOf(expected), boxOf(to));
}

/** The time from `from` to `to` as a multiple of the time from `before` to `from`; 0 if there was nothing before. */
function shareAhead(from: Sighting, to: Sighting, before: Sighting | undefined): number {
  if (before === undefined) return 0;
  return (to.timeSeconds - from.timeSeconds) / (from.timeSeconds - before.timeSeconds);
}

/** Overlap of two sightings at their own positions: intersection over union. */
export function overlapInPlace(a: Sighting, b: Sighting): number {
  return overlapOf(boxOf(a), boxOf(b));
}

/** Distance of the centers in mean widths and heights. */
function distanceOf(a: Sighting, b: Sighting): number {
  return Math.hypot(
    (a.centreX - b.centreX) / meanOf(a.width, b.width),
    (a.centreY - b.centreY) / meanOf(a.height, b.height),
  );
}

function meanOf(a: number, b: number): number {
  return Math.max(LEAST_MEASURE, (a + b) / 2);
}

/** Whether a link spans a long distance that no neighboring link on either side confirms. */
export function isDoubtful(from: LinkNode, to: LinkNode): boolean {
  if (distanceOf(from.sighting, to.sighting) < DOUBTFUL_DISTANCE) return false;
  return (
    !confirms(from.sighting, to.sighting, from.previous?.sighting) &&
    !confirms(to.sighting, from.sighting, to.next?.sighting)
  );
}

/** Whether an object that continues as it moved gets close. */
function confirms(from: Sighting, to: Sighting, before: Sighting | undefined): boolean {
  return before !== undefined && missedBy(from, to, before) < CONFIRMING_DISTANCE;
}

function boxOf({ centreX, centreY, width, height }: Sighting): Box {
  return centeredBox([centreX, centreY], width, height);
}

/**
 * Cost of linking nodes of which one may be faint. A faint sighting is linked only at its expected position, because false
 * detections are everywhere.
 */
export function faintCostOf(from: LinkNode, to: LinkNode): number {
  const cost = costOf(from, to);
  if (cost >= 1 || (isSureNode(from) && isSureNode(to))) return cost;
  const forwards = overlapAhead(from.sighting, to.sighting, from.previous?.sighting);
  const backwards = overlapAhead(to.sighting, from.sighting, to.next?.sighting);
  return Math.max(forwards, backwards) >= FAINT_OVERLAP ? cost : 1;
}
