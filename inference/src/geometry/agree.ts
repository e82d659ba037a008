import { overlapOf, type Box, type ScoredBox } from "./box.ts";

export interface AgreementLimits {
  /** Boxes whose intersection over union reaches this are of one object. */
  readonly overlap: number;
  /** Share of its confidence that a box keeps which one look alone has. */
  readonly loneShare: number;
}

/**
 * From which share of a box's confidence another look's counts as agreeing: below it, their mean would be less than what the
 * box keeps alone.
 */
export function agreeingShare(loneShare: number): number {
  return Math.max(0, 2 * loneShare - 1);
}

/**
 * What two looks at one picture say together, of one category, each after suppression: an object that both are sure of has the
 * mean of their confidences and a box around both boxes, which covers it when either does. What stands at a confidence does
 * not depend on weaker boxes that could be left out. Strongest first.
 */
export function combineLooks<T extends ScoredBox>(
  looks: readonly [readonly T[], readonly T[]],
  { overlap, loneShare }: AgreementLimits,
): T[] {
  const free = looks.map((items) => new Set(items));
  const ordered = looks
    .flatMap((items, look) => items.map((item) => ({ item, look })))
    .toSorted((a, b) => b.item.confidence - a.item.confidence);
  const together: T[] = [];
  for (const { item, look } of ordered) {
    if (!free[look]?.delete(item)) continue;
    const others = free[1 - look] ?? new Set<T>();
    const least = item.confidence * agreeingShare(loneShare);
    const partner = mostAlike(
      item,
      [...others].filter(({ confidence }) => confidence > least),
      overlap,
    );
    // A doubtful one is of the same object: it must not stand beside the box. The surest, whatever weaker ones there are.
    const same = partner ?? surest(item, others, overlap);
    if (same !== undefined) others.delete(same);
    together.push(
      partner === undefined
        ? { ...item, confidence: item.confidence * loneShare }
        : {
            ...item,
            confidence: (item.confidence + partner.confidence) / 2,
            box: around(item.box, partner.box),
          },
    );
  }
  return together.toSorted((a, b) => b.confidence - a.confidence);
}

function mostAlike<T extends ScoredBox>(item: T, others: Iterable<T>, overlap: number): T | undefined {
  let best: { other: T; alike: number } | undefined;
  for (const other of others) {
    const alike = overlapOf(item.box, other.box);
    if (alike > 0 && alike >= overlap && alike > (best?.alike ?? 0)) best = { other, alike };
  }
  return best?.other;
}

/** The one of most confidence that is of the same object; of several, the most alike. */
function surest<T extends ScoredBox>(item: T, others: Iterable<T>, overlap: number): T | undefined {
  const ofSame = [...others].filter((other) => mostAlike(item, [other], overlap) !== undefined);
  const most = Math.max(...ofSame.map(({ confidence }) => confidence));
  return mostAlike(
    item,
    ofSame.filter(({ confidence }) => confidence === most),
    overlap,
  );
}

function around(a: Box, b: Box): Box {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}
