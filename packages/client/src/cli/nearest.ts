const MOST_EDITS = 2;
/** A word this short may lack a letter; with another letter it may well be another word, as csh is not zsh. */
const SHORT_CHARACTERS = 3;

/** The word closest to the typed one, at most two typing errors away, one for three or four letters; undefined if there is none. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const ranked = words
    .filter((word) => typed.length > SHORT_CHARACTERS || word.length > typed.length)
    .map((word) => ({ word, edits: editsBetween(typed, word) }))
    .sort((one, other) => one.edits - other.edits);
  const [best] = ranked;
  return best !== undefined && best.edits <= Math.min(MOST_EDITS, mostEditsOf(typed)) ? best.word : undefined;
}

/** A short word is close to too many others. */
function mostEditsOf({ length }: string): number {
  return Math.floor((length - 1) / 2);
}

/** Levenshtein distance: insertions, deletions and replacements of one character. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of one.split("").entries()) {
    const next = [index + 1];
    for (const [place, letter] of other.split("").entries()) {
      const replaced = (row[place] ?? 0) + (character === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
