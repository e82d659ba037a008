import { assign, type Candidate } from "./assignment.ts";
import { isSure } from "./confidence.ts";
import { areRelated, overlapOf, type Sighting } from "./sightings.ts";

/** Sightings of one thing in order of time. */
export type Chain = readonly Sighting[];

/** What may be linked: both chains are hidden as if they were not, and the way between too. */
export interface Bridge {
  /** The end of one chain and the beginning of the other. */
  readonly ends: Chain;
  readonly chains: readonly [before: Chain, after: Chain];
}

/** What is linked, and what may be. */
export interface Links {
  readonly chains: readonly Chain[];
  readonly bridges: readonly Bridge[];
}

/** How far a thing may be from where it is expected, in its own widths and heights, at once and after each second. */
const REACH = 0.5;
const REACH_PER_SECOND_UNKNOWN_SPEED = 7;
const REACH_PER_SECOND_KNOWN_SPEED = 3;
/** Things are taken to be at least so large, as a share of the frame, when distances are measured in their size. */
const LEAST_MEASURE = 0.02;
/** How much a thing may grow or shrink, as the logarithm of the ratio of its areas, at once and after each second. */
const GROWTH = 0.7;
const GROWTH_PER_SECOND = 2;
/** Farther than this in its own size without a known speed, a thing may as well be another one. */
const DOUBTFUL_DISTANCE = 0.8;
/** A known speed that leads within this share of the reach removes the doubt. */
const CONFIRMING_DISTANCE = 0.5;
/** Longest time out of sight between two sightings of one thing; what stays in place is waited for longer. */
const LONGEST_GAP_SECONDS = 2;
const LONGEST_GAP_IN_PLACE_SECONDS = 6;
const IN_PLACE_OVERLAP = 0.3;
/** How much of what is faint must lie where it is expected. */
const FAINT_OVERLAP = 0.3;
/** Speeds learnt from first links change them; after this many rounds nothing moves any more. */
const ROUNDS = 3;

interface Node {
  readonly sighting: Sighting;
  /** Number of its sample within the shot. */
  readonly sample: number;
  previous: Node | undefined;
  next: Node | undefined;
}

/**
 * Links the sightings of one shot over time, in both directions at once.
 *
 * Neighbouring samples are paired at the least total cost (SORT: Bewley et al., ICIP 2016), where the cost looks from the
 * earlier sighting forwards and from the later one back, each at the speed its other link tells, so that time has no
 * direction; then ends of chains with beginnings of later ones (Huang, Wu, Nevatia, ECCV 2008).
 */
export function linkShot(samples: readonly (readonly Sighting[])[]): Links {
  const nodes = samples.map((sightings, sample) =>
    sightings.map((sighting): Node => ({ sighting, sample, previous: undefined, next: undefined })),
  );
  for (let round = 0; round < ROUNDS; round++) {
    const pairs = nodes.slice(1).map((later, index) => pairUp(nodes[index] ?? [], later));
    unlink(nodes);
    for (const [from, to] of pairs.flat()) link(from, to);
  }
  const all = nodes.flat();
  for (const [from, to] of closeGaps(all)) link(from, to);
  const bridges = all
    .filter((node) => node.next !== undefined && isDoubtful(node, node.next))
    .map((node) => [node, node.next as Node] as const);
  for (const [from, to] of bridges) {
    from.next = undefined;
    to.previous = undefined;
  }
  return {
    chains: all.filter((node) => node.previous === undefined).map(chainFrom),
    bridges: bridges.map(([from, to]) => ({
      ends: [from.sighting, to.sighting],
      chains: [chainTo(from), chainFrom(to)],
    })),
  };
}

function link(from: Node, to: Node): void {
  from.next = to;
  to.previous = from;
}

function unlink(nodes: readonly (readonly Node[])[]): void {
  for (const node of nodes.flat()) {
    node.previous = undefined;
    node.next = undefined;
  }
}

function chainFrom(first: Node): Chain {
  const chain: Sighting[] = [];
  for (let node: Node | undefined = first; node !== undefined; node = node.next) chain.push(node.sighting);
  return chain;
}

function chainTo(last: Node): Chain {
  let first = last;
  while (first.previous !== undefined) first = first.previous;
  return chainFrom(first);
}

/** The sure ones first, then what they left over: something faint never comes between two sightings that are sure. */
function pairUp(earlier: readonly Node[], later: readonly Node[]): (readonly [Node, Node])[] {
  const sure = pairAmong(earlier.filter(isSureNode), later.filter(isSureNode), costOf);
  const paired = new Set(sure.flat());
  const isFree = (node: Node): boolean => !paired.has(node);
  return [...sure, ...pairAmong(earlier.filter(isFree), later.filter(isFree), faintCostOf)];
}

function pairAmong(
  earlier: readonly Node[],
  later: readonly Node[],
  cost: (from: Node, to: Node) => number,
): (readonly [Node, Node])[] {
  const candidates: Candidate[] = [];
  for (const [row, from] of earlier.entries()) {
    for (const [column, to] of later.entries()) {
      const found = cost(from, to);
      if (found < 1) candidates.push({ row, column, cost: found });
    }
  }
  return pairsOf(assign(candidates), earlier, later);
}

const isSureNode = ({ sighting }: Node): boolean => isSure(sighting);

/** What is faint is linked only where it is expected: clutter is everywhere. */
function faintCostOf(from: Node, to: Node): number {
  const cost = costOf(from, to);
  if (isSureNode(from) && isSureNode(to)) return cost;
  const forwards = approach(from.sighting, to.sighting, from.previous?.sighting);
  const backwards = approach(to.sighting, from.sighting, to.next?.sighting);
  return Math.max(forwards.overlap, backwards.overlap) >= FAINT_OVERLAP ? cost : 1;
}

function closeGaps(nodes: readonly Node[]): (readonly [Node, Node])[] {
  const ends = nodes.filter((node) => node.next === undefined);
  const beginnings = nodes.filter((node) => node.previous === undefined);
  const candidates: Candidate[] = [];
  let firstLater = 0;
  for (const [row, from] of ends.entries()) {
    while ((beginnings[firstLater]?.sample ?? Infinity) <= from.sample) firstLater++;
    for (let column = firstLater; column < beginnings.length; column++) {
      const to = beginnings[column] as Node;
      const gapSeconds = to.sighting.timeSeconds - from.sighting.timeSeconds;
      if (gapSeconds > LONGEST_GAP_IN_PLACE_SECONDS) break;
      const isInPlace = overlapOf(boxOf(from.sighting), boxOf(to.sighting)) >= IN_PLACE_OVERLAP;
      if (gapSeconds > LONGEST_GAP_SECONDS && !isInPlace) continue;
      const cost = faintCostOf(from, to);
      if (cost < 1) candidates.push({ row, column, cost });
    }
  }
  return pairsOf(assign(candidates), ends, beginnings);
}

function pairsOf(
  pairs: readonly Candidate[],
  rows: readonly Node[],
  columns: readonly Node[],
): (readonly [Node, Node])[] {
  return pairs.map(({ row, column }) => [rows[row] as Node, columns[column] as Node]);
}

/** Half overlap, half distance, and the change of size; 1 and more is impossible. */
function costOf(from: Node, to: Node): number {
  const a = from.sighting;
  const b = to.sighting;
  if (!areRelated(a.category, b.category)) return 1;
  const seconds = b.timeSeconds - a.timeSeconds;
  const growth = Math.abs(Math.log((a.width * a.height) / (b.width * b.height)));
  const growthLimit = GROWTH + GROWTH_PER_SECOND * seconds;
  if (growth > growthLimit) return 1;
  const forwards = approach(a, b, from.previous?.sighting);
  const backwards = approach(b, a, to.next?.sighting);
  const distance = (forwards.distance + backwards.distance) / 2;
  if (distance >= 1) return 1;
  const overlap = (forwards.overlap + backwards.overlap) / 2;
  const strangeness = a.category === b.category ? 0 : 0.1;
  return 0.3 * (1 - overlap) + 0.5 * distance + 0.1 * (growth / growthLimit) + strangeness;
}

/** How near `from`, going on as it came from `before`, gets to `to`: distance as a share of the reach, and overlap. */
function approach(
  from: Sighting,
  to: Sighting,
  before: Sighting | undefined,
): { distance: number; overlap: number } {
  const seconds = to.timeSeconds - from.timeSeconds;
  const share = before === undefined ? 0 : seconds / (from.timeSeconds - before.timeSeconds);
  const expected = {
    ...from,
    centreX: from.centreX + share * (from.centreX - (before?.centreX ?? 0)),
    centreY: from.centreY + share * (from.centreY - (before?.centreY ?? 0)),
  };
  const perSecond = before === undefined ? REACH_PER_SECOND_UNKNOWN_SPEED : REACH_PER_SECOND_KNOWN_SPEED;
  return {
    distance: distanceOf(expected, to) / (REACH + perSecond * Math.abs(seconds)),
    overlap: overlapOf(boxOf(expected), boxOf(to)),
  };
}

/** Distance of the centres in mean widths and heights. */
function distanceOf(a: Sighting, b: Sighting): number {
  const width = Math.max(LEAST_MEASURE, (a.width + b.width) / 2);
  const height = Math.max(LEAST_MEASURE, (a.height + b.height) / 2);
  return Math.hypot((a.centreX - b.centreX) / width, (a.centreY - b.centreY) / height);
}

/** A long way that no neighbouring link on either side confirms. */
function isDoubtful(from: Node, to: Node): boolean {
  if (distanceOf(from.sighting, to.sighting) < DOUBTFUL_DISTANCE) return false;
  return (
    !confirms(from.sighting, to.sighting, from.previous?.sighting) &&
    !confirms(to.sighting, from.sighting, to.next?.sighting)
  );
}

/** Whether a thing that goes on as it came gets near. */
function confirms(from: Sighting, to: Sighting, before: Sighting | undefined): boolean {
  return before !== undefined && approach(from, to, before).distance < CONFIRMING_DISTANCE;
}

const boxOf = ({ centreX, centreY, width, height }: Sighting) =>
  [centreX - width / 2, centreY - height / 2, width, height] as const;
