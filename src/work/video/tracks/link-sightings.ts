import type { Candidate } from "./assignment.ts";
import {
  costOf,
  faintCostOf,
  isDoubtful,
  isSureNode,
  pairAtLeastCost,
  type LinkNode,
  overlapInPlace,
} from "./link-cost.ts";
import type { Sighting } from "./sightings.ts";

/** Sightings of one object, in time order. */
export type Chain = readonly Sighting[];

/** A possible link between two chains. Both are hidden as if they were not linked, and the path between them may be hidden too. */
export interface Bridge {
  /** The end of one chain and the beginning of the other. */
  readonly ends: Chain;
  readonly chains: readonly [before: Chain, after: Chain];
}

/** The linked chains, and the possible links between chains. */
export interface Links {
  readonly chains: readonly Chain[];
  readonly bridges: readonly Bridge[];
}

/** Speeds from the first links change the links. After this many rounds, nothing changes anymore. */
const ROUNDS = 3;

/**
 * Links the sightings of one shot over time, in both directions at once.
 *
 * Neighboring samples are paired at the least total cost (SORT: Bewley et al., ICIP 2016). The cost looks forward from the
 * earlier sighting and backward from the later one, each at the speed of its other link, so that the direction of time does not
 * matter. After that, ends of chains are linked with beginnings of later ones (Huang, Wu, Nevatia, ECCV 2008).
 */
export function linkShot(samples: readonly (readonly Sighting[])[]): Links {
  const nodes = samples.map((sightings, sample) =>
    sightings.map((sighting): LinkNode => ({ sighting, sample, previous: undefined, next: undefined })),
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
    .map((node) => [node, node.next as LinkNode] as const);
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

function link(from: LinkNode, to: LinkNode): void {
  from.next = to;
  to.previous = from;
}

function unlink(nodes: readonly (readonly LinkNode[])[]): void {
  for (const node of nodes.flat()) {
    node.previous = undefined;
    node.next = undefined;
  }
}

function chainFrom(first: LinkNode): Chain {
  const chain: Sighting[] = [];
  for (let node: LinkNode | undefined = first; node !== undefined; node = node.next)
    chain.push(node.sighting);
  return chain;
}

function chainTo(last: LinkNode): Chain {
  let first = last;
  while (first.previous !== undefined) first = first.previous;
  return chainFrom(first);
}

/** Pairs the sure sightings first and then the remaining ones, so that a faint sighting never comes between two sure ones. */
function pairUp(earlier: readonly LinkNode[], later: readonly LinkNode[]): (readonly [LinkNode, LinkNode])[] {
  const sure = pairAmong(earlier.filter(isSureNode), later.filter(isSureNode), costOf);
  const paired = new Set(sure.flat());
  const isFree = (node: LinkNode): boolean => !paired.has(node);
  return [...sure, ...pairAmong(earlier.filter(isFree), later.filter(isFree), faintCostOf)];
}

function pairAmong(
  earlier: readonly LinkNode[],
  later: readonly LinkNode[],
  cost: (from: LinkNode, to: LinkNode) => number,
): (readonly [LinkNode, LinkNode])[] {
  const candidates: Candidate[] = [];
  for (const [row, from] of earlier.entries()) {
    for (const [column, to] of later.entries()) {
      const found = cost(from, to);
      if (found < 1) candidates.push({ row, column, cost: found });
    }
  }
  return pairAtLeastCost(candidates, earlier, later);
}

/** Longest time between two sightings of one object. An object that stays in place may be hidden longer. */
const LONGEST_GAP_SECONDS = 2;
const LONGEST_GAP_IN_PLACE_SECONDS = 6;
const IN_PLACE_OVERLAP = 0.3;

function isInPlace(from: LinkNode, to: LinkNode): boolean {
  return overlapInPlace(from.sighting, to.sighting) >= IN_PLACE_OVERLAP;
}

/**
 * Closes gaps: links ends of chains with beginnings of later ones if an object was hidden for a while.
 *
 * @returns the pairs to link
 */
function closeGaps(nodes: readonly LinkNode[]): (readonly [LinkNode, LinkNode])[] {
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
      if (gapSeconds > LONGEST_GAP_SECONDS && !isInPlace(from, to)) continue;
      const cost = faintCostOf(from, to);
      if (cost < 1) candidates.push({ row, column, cost });
    }
  }
  return pairAtLeastCost(candidates, ends, beginnings);
}
