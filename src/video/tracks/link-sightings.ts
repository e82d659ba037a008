import type { Candidate } from "./assignment.ts";
import { closeGaps } from "./close-gaps.ts";
import { costOf, faintCostOf, isDoubtful, isSureNode, pairAtLeastCost, type LinkNode } from "./link-cost.ts";
import type { Sighting } from "./sightings.ts";

/** Sightings of one thing in order of time. */
export type Chain = readonly Sighting[];

/** What may be linked: both chains are hidden as if they were not, and the way between too. */
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

/** Speeds learnt from first links change them; after this many rounds nothing moves any more. */
const ROUNDS = 3;

/**
 * Links the sightings of one shot over time, in both directions at once.
 *
 * Neighbouring samples are paired at the least total cost (SORT: Bewley et al., ICIP 2016), where the cost looks from the
 * earlier sighting forwards and from the later one back, each at the speed its other link tells, so that time has no
 * direction; then ends of chains with beginnings of later ones (Huang, Wu, Nevatia, ECCV 2008).
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

/** The sure ones first, then what they left over: something faint never comes between two sightings that are sure. */
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
