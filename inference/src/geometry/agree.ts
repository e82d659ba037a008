import { overlapOf, type Box, type ScoredBox } from "./box.ts";

export interface AgreementLimits {
  /** Boxes whose intersection over union is at least this are one object. */
  readonly overlap: number;
  /** Share of its confidence that a box keeps if only one look has it. */
  readonly loneShare: number;
}

/**
 * Another look's box agrees if its confidence is above this share of a box's own. Below it, the mean of both would be less than
 * what the box keeps alone.
 */
export function agreeingShare(loneShare: number): number {
  return Math.max(0, 2 * loneShare - 1);
}

/**
 * Combines two looks at one picture. Each look has the boxes of one category, after suppression. If both looks agree on an
 * object, it gets the mean of their confidences and a box around both boxes, so the result covers the object if either box
 * does. The result above some confidence does not depend on weaker boxes that a caller may leave out. Returns the strongest
 * first.
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
    // A doubtful box of the other look still shows the same object, so it must not stay beside this box. The surest one is
    // taken, so that weaker ones make no difference.
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

/** The most confident of the boxes that show the same object. On a tie, the most similar one. */
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
