export interface Entry {
  title: string;
  page: string;
  address: string;
  keywords: string;
  text: string;
}

const MOST_RESULTS = 12;
/** The weight of a word in the title, relative to one in the text. */
const IN_TITLE = 3;
/** The weight of a keyword, which was chosen for search. */
const IN_KEYWORDS = 6;
const LEAST_STEM = 3;
/** Words that people search by, and the words of these pages. */
const MEANT: Readonly<Record<string, string>> = {
  face: "head",
  person: "head",
  people: "head",
  car: "plate",
  sticker: "tattoo",
  movie: "video",
  film: "video",
};

/** The words of a search, each as the beginnings of words that it stands for. */
export function wordsOf(text: string): string[][] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter(Boolean)
    .map((word) => {
      const stem = stemOf(word);
      const meant = MEANT[stem];
      return meant === undefined ? [stem] : [stem, meant];
    });
}

/** Entries with all words, best first; where none has all, those with most of them. */
export function find(entries: Entry[], words: string[][]) {
  const rated = entries.map((entry) => ({ entry, ...rate(entry, words) }));
  const most = Math.max(0, ...rated.map(({ hits }) => hits));
  return rated
    .filter(({ hits }) => hits > 0 && hits === most)
    .sort((one, other) => other.points - one.points)
    .slice(0, MOST_RESULTS)
    .map(({ entry }) => entry);
}

function rate({ title, page, keywords, text }: Entry, words: string[][]) {
  let hits = 0;
  let points = 0;
  for (const stems of words) {
    const inTitle = stems.some((stem) => begins(`${title} ${page}`, stem) >= 0);
    const inText = stems.some((stem) => begins(text, stem) >= 0);
    const inKeywords = stems.some((stem) => begins(keywords, stem) >= 0);
    if (inTitle || inText || inKeywords) hits += 1;
    points += (inKeywords ? IN_KEYWORDS : 0) + (inTitle ? IN_TITLE : 0) + (inText ? 1 : 0);
  }
  return { hits, points };
}

/** Where a word of a text begins so; -1 where none does. */
export function begins(text: string, stem: string) {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(stem); at >= 0; at = lower.indexOf(stem, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower[at - 1] ?? "")) return at;
  }
  return -1;
}

/** A word without the ending of its plural or of its past. */
function stemOf(word: string) {
  const stem = word.replace(/(?:ing|ed|s)$/, "");
  return stem.length < LEAST_STEM ? word : stem;
}
