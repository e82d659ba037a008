/** One bit per coefficient: whether the source has coded a non-zero value. Later scans depend on nothing else. */
export class NonZeroMap {
  readonly words: Uint32Array;
  readonly #columns: number;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.words = new Uint32Array(2 * columns * rows);
  }

  /** Index of the first of a block's two words. */
  indexOf(column: number, row: number): number {
    return 2 * (row * this.#columns + column);
  }
}

/** Records that a coefficient of the block at `word` is not zero. */
export function markNonZero(words: Uint32Array, word: number, k: number): void {
  const at = word + (k >> 5);
  words[at] = (words[at] as number) | (1 << (k & 31));
}

/** Whether an earlier scan coded a non-zero value for a coefficient of the block at `word`. */
export function isNonZero(words: Uint32Array, word: number, k: number): boolean {
  return (((words[word + (k >> 5)] as number) >>> (k & 31)) & 1) === 1;
}
