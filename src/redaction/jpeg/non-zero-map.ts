/** One bit per coefficient: whether the source has coded a value other than zero. Later scans depend on nothing else. */
export class NonZeroMap {
  readonly words: Uint32Array;
  readonly #columns: number;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.words = new Uint32Array(2 * columns * rows);
  }

  /** First of the two words of a block. */
  indexOf(column: number, row: number): number {
    return 2 * (row * this.#columns + column);
  }
}

/** Notes that a coefficient of the block at `word` is not zero. */
export function markNonZero(words: Uint32Array, word: number, k: number): void {
  const at = word + (k >> 5);
  words[at] = (words[at] as number) | (1 << (k & 31));
}

/** Whether a coefficient of the block at `word` is known not to be zero. */
export function isNonZero(words: Uint32Array, word: number, k: number): boolean {
  return (((words[word + (k >> 5)] as number) >>> (k & 31)) & 1) === 1;
}
