/**
 * Audio object types that share one configuration layout (ISO/IEC 14496-3 §4.4.1): main, LC, SSR, LTP, scalable, TwinVQ, error
 * resilient.
 */
const GENERAL_KINDS: ReadonlySet<number> = new Set([1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23]);
const SCALABLE_KINDS: ReadonlySet<number> = new Set([6, 20]);
const RESILIENT_KINDS: ReadonlySet<number> = new Set([17, 19, 20, 21, 22, 23]);
const BIT_SLICED = 22;
const SPECTRAL_BAND_REPLICATION = 5;
const PARAMETRIC_STEREO = 29;
const ESCAPED_KIND = 31;
const ESCAPED_RATE = 15;
const REPLICATION_FOLLOWS = 0x2b7;
const STEREO_FOLLOWS = 0x548;
const BITS_OF_REPLICATION = 17;
const BITS_OF_STEREO = 12;

/** Copies a decoder configuration bit by bit, as far as its fields are known. */
class BitCopier {
  readonly #source: Uint8Array;
  readonly #bits: number[] = [];
  #at = 0;

  constructor(source: Uint8Array) {
    this.#source = source;
  }

  get left(): number {
    return this.#source.length * 8 - this.#at;
  }

  copy(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left--) {
      const bit = this.peek(1);
      this.#bits.push(bit);
      this.#at += 1;
      value = value * 2 + bit;
    }
    return value;
  }

  peek(count: number): number {
    if (count > this.left) throw new RangeError("The setup is cut off.");
    let value = 0;
    for (let at = this.#at; at < this.#at + count; at++)
      value = value * 2 + (((this.#source[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    return value;
  }

  align(): void {
    const count = -this.#at & 7;
    this.peek(count);
    this.#at += count;
    for (let bit = 0; bit < count; bit++) this.#bits.push(0);
  }

  /** Skips the source's bytes and writes a count of zero. */
  dropBytes(): void {
    const count = this.peek(8);
    this.#at += 8;
    this.peek(count * 8);
    this.#at += count * 8;
    for (let bit = 0; bit < 8; bit++) this.#bits.push(0);
  }

  finish(): Uint8Array {
    const bytes = new Uint8Array(Math.ceil(this.#bits.length / 8));
    for (const [at, bit] of this.#bits.entries())
      bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (bit << (7 - (at & 7)));
    return bytes;
  }
}

/**
 * Rewrites an AAC decoder configuration (AudioSpecificConfig, ISO/IEC 14496-3 §1.6.2.1) without its comments and without the
 * bytes after it. Returns undefined if the object type is unknown or the configuration is truncated.
 */
export function aacSetup(source: Uint8Array): Uint8Array | undefined {
  const bits = new BitCopier(source);
  try {
    let kind = copyKind(bits);
    copyRate(bits);
    const channels = bits.copy(4);
    const isExtended = kind === SPECTRAL_BAND_REPLICATION || kind === PARAMETRIC_STEREO;
    if (isExtended) {
      copyRate(bits);
      kind = copyKind(bits);
      if (kind === BIT_SLICED) bits.copy(4);
    }
    if (!GENERAL_KINDS.has(kind)) return undefined;
    copyGeneral(bits, kind, channels);
    if (!isExtended) copyExtensions(bits);
    return bits.finish();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function copyKind(bits: BitCopier): number {
  const kind = bits.copy(5);
  return kind === ESCAPED_KIND ? 32 + bits.copy(6) : kind;
}

function copyRate(bits: BitCopier): void {
  if (bits.copy(4) === ESCAPED_RATE) bits.copy(24);
}

function copyGeneral(bits: BitCopier, kind: number, channels: number): void {
  bits.copy(1);
  if (bits.copy(1) === 1) bits.copy(14);
  const hasExtension = bits.copy(1) === 1;
  if (channels === 0) copyProgram(bits);
  if (SCALABLE_KINDS.has(kind)) bits.copy(3);
  if (hasExtension) {
    if (kind === BIT_SLICED) bits.copy(16);
    if (RESILIENT_KINDS.has(kind) && kind !== BIT_SLICED && kind !== 21) bits.copy(3);
    bits.copy(1);
  }
  if (RESILIENT_KINDS.has(kind) && bits.copy(2) > 1) throw new RangeError("Error protection is not known.");
}

/** Copies the channel layout and drops the comment (program_config_element, ISO/IEC 14496-3 §4.4.1.1). */
function copyProgram(bits: BitCopier): void {
  bits.copy(10);
  const [front, side, back, low, data, coupled] = [4, 4, 4, 2, 3, 4].map((count) => bits.copy(count));
  for (const count of [4, 4, 3]) if (bits.copy(1) === 1) bits.copy(count);
  bits.copy(5 * ((front ?? 0) + (side ?? 0) + (back ?? 0) + (coupled ?? 0)) + 4 * ((low ?? 0) + (data ?? 0)));
  bits.align();
  bits.dropBytes();
}

/** Copies the extension that older decoders skip. */
function copyExtensions(bits: BitCopier): void {
  if (bits.left < BITS_OF_REPLICATION || bits.peek(11) !== REPLICATION_FOLLOWS) return;
  if (bits.peek(16) % 32 !== SPECTRAL_BAND_REPLICATION) return;
  bits.copy(16);
  if (bits.copy(1) === 0) return;
  copyRate(bits);
  if (bits.left >= BITS_OF_STEREO && bits.peek(11) === STEREO_FOLLOWS) bits.copy(BITS_OF_STEREO);
}
