import { RedactionError } from "../bytes/errors.ts";

/** One lookup finds codes up to this length. */
const LOOKUP_BITS = 10;

/** One table of a DHT segment: the number of codes of each length 1…16, and their symbols in order of code. */
export interface HuffmanSpec {
  /** `counts[length − 1]`. */
  readonly counts: readonly number[];
  readonly symbols: readonly number[];
}

/** Marks the entries of symbols that no block of a sequential scan has after its DC (T.81, F.1.2.2.1). */
const NO_AC = 0x8000;
/** Most bits of an AC coefficient of 8-bit samples (T.81, table F.2). */
const MAX_AC_BITS = 10;

/** What {@link JpegCodec} needs to find the symbols of codes (T.81, F.2.2.3). */
export class HuffmanDecoder {
  /** By the next ten bits: code length · 256 + symbol. 0 for longer codes and for bits that match no code. */
  readonly lookup = new Uint16Array(1 << LOOKUP_BITS);
  /** By length: one more than the greatest code of that length, shifted to 16 bits. */
  readonly limits = new Int32Array(18);
  /** By length: index of a code's symbol minus the code. */
  readonly offsets = new Int32Array(18);
  readonly symbols = new Uint8Array(256);

  constructor({ counts, symbols }: HuffmanSpec) {
    this.symbols.set(symbols);
    let code = 0;
    let index = 0;
    for (let length = 1; length <= 16; length++) {
      const count = counts[length - 1] ?? 0;
      this.offsets[length] = index - code;
      for (let n = 0; n < count; n++, code++, index++) {
        if (length > LOOKUP_BITS) continue;
        const symbol = symbols[index] ?? 0;
        const entry = (isAc(symbol) ? 0 : NO_AC) | (length << 8) | symbol;
        const shift = LOOKUP_BITS - length;
        this.lookup.fill(entry, code << shift, (code + 1) << shift);
      }
      if (code > 1 << length) throw new RedactionError("undecodable", "A Huffman table has too many codes.");
      this.limits[length] = code << (16 - length);
      code <<= 1;
    }
  }
}

function isAc(symbol: number): boolean {
  const size = symbol & 15;
  return size === 0 ? symbol === 0 || symbol === 0xf0 : size <= MAX_AC_BITS;
}

/** By symbol: code · 32 + length (T.81, C.2). 0 if the table has no code for the symbol. */
export function encoderCodes({ counts, symbols }: HuffmanSpec): Int32Array {
  const codes = new Int32Array(256);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= 16; length++) {
    for (let n = 0; n < (counts[length - 1] ?? 0); n++, code++, index++) {
      codes[symbols[index] ?? 0] = (code << 5) | length;
    }
    code <<= 1;
  }
  return codes;
}

/** Huffman's algorithm (T.81, K.2, figure K.1). One more leaf without weight reserves the code of all ones. */
export function tableOfWeights(weightOf: ReadonlyMap<number, number>): HuffmanSpec {
  const symbols = [...weightOf.keys()];
  const leaves = symbols.length + 1;
  const weights = Float64Array.from(
    { length: 2 * leaves - 1 },
    (_, node) => weightOf.get(symbols[node] ?? -1) ?? 0,
  );
  const parents = new Int32Array(2 * leaves - 1);
  for (let node = leaves; node < 2 * leaves - 1; node++) {
    const rarest = takeRarest(weights, parents, node);
    const next = takeRarest(weights, parents, node);
    weights[node] = (weights[rarest] as number) + (weights[next] as number);
  }
  const lengths = new Int32Array(2 * leaves - 1);
  for (let node = 2 * leaves - 3; node >= 0; node--) {
    lengths[node] = (lengths[parents[node] as number] as number) + 1;
  }
  const lengthOf = new Map(symbols.map((symbol, leaf) => [symbol, lengths[leaf] as number]));
  symbols.sort((a, b) => (lengthOf.get(a) ?? 0) - (lengthOf.get(b) ?? 0) || a - b);
  return { counts: limitLengths([...lengths.subarray(0, leaves)]), symbols };
}

/** Finds the rarest node before `parent` that has no parent yet, makes it a child of `parent`, and returns it. */
function takeRarest(weights: Float64Array, parents: Int32Array, parent: number): number {
  let rarest = -1;
  let least = Infinity;
  for (let node = 0; node < parent; node++) {
    if (parents[node] !== 0 || (weights[node] as number) >= least) continue;
    rarest = node;
    least = weights[node] as number;
  }
  parents[rarest] = parent;
  return rarest;
}

/** Shortens codes of more than 16 bits and drops the reserved one: Adjust_BITS of T.81, K.2, figure K.3. */
function limitLengths(lengths: readonly number[]): number[] {
  const counts = Array.from({ length: Math.max(16, ...lengths) + 1 }, () => 0);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  const at = (length: number): number => counts[length] ?? 0;
  for (let length = counts.length - 1; length > 16; length--) {
    while (at(length) > 0) {
      let shorter = length - 2;
      while (at(shorter) === 0) shorter--;
      counts[length] = at(length) - 2;
      counts[length - 1] = at(length - 1) + 1;
      counts[shorter + 1] = at(shorter + 1) + 2;
      counts[shorter] = at(shorter) - 1;
    }
  }
  let longest = 16;
  while (at(longest) === 0) longest--;
  counts[longest] = at(longest) - 1;
  return counts.slice(1, 17);
}
