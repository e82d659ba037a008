const CODES = { seen: "seen_in_full", unseen: "not_seen_in_full" } as const;

/** The audit trail's detail of an approval: whether the reviewer saw the whole file; undefined if that was not reported. */
export function seenInFullCode(isSeenInFull: boolean | undefined): string | undefined {
  if (isSeenInFull === undefined) return undefined;
  return isSeenInFull ? CODES.seen : CODES.unseen;
}

/** The same, read from the detail of an entry. */
export function hasSeenInFull(detail: string | null): boolean | undefined {
  const words = detail?.split(" ") ?? [];
  if (words.includes(CODES.unseen)) return false;
  return words.includes(CODES.seen) ? true : undefined;
}
