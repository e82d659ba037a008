import { ByteSink } from "../redaction/bytes/byte-sink.ts";
import { concatBytes, textBytes } from "../redaction/bytes/bytes.ts";
import { bitsOf, sizeOf } from "../redaction/jpeg/bits.ts";
import { EntropyWriter } from "../redaction/jpeg/entropy-writer.ts";
import { encoderCodes, type HuffmanSpec } from "../redaction/jpeg/huffman.ts";
import { NATURAL_ORDER } from "../redaction/jpeg/interpolation.ts";
import { profilePayloads } from "../redaction/jpeg/profile.ts";
import { DHT, DQT, EOI, orientationSegment, segmentBytes, SOI, SOS } from "../redaction/jpeg/segments.ts";
import { forwardDct } from "./forward-dct.ts";
import { PlaneRows, type Plane } from "./jpeg-planes.ts";
import { AC_TABLES, DC_TABLES, QUANT_TABLES } from "./jpeg-tables.ts";
import { damaged, tooLarge, type Picture } from "./picture.ts";

const QUALITY = 92;
const MOST_SIDE = 65_535;
const SOF0 = 0xc0;
const APP0 = 0xe0;
const APP2 = 0xe2;
const SIXTEEN_ZEROS = 0xf0;
const END_OF_BLOCK = 0;
const JFIF = [...textBytes("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0];

/**
 * Writes an opaque picture as a baseline JPEG while it is decoded, holding one row of blocks: in 4:2:0 if the picture is,
 * otherwise in 4:4:4. The JPEG contains only pixels, their profile and the orientation.
 */
export async function* writeJpeg(picture: Picture): AsyncGenerator<Uint8Array> {
  const { width, height } = picture;
  if (width > MOST_SIDE || height > MOST_SIDE) throw tooLarge("The picture has too long a side for a JPEG.");
  const taken = new PlaneRows(picture);
  const { planes, columns, unitRows, rowsAtOnce, bytesAtOnce } = taken;
  yield headOf(picture, planes);

  const sink = new ByteSink();
  const coder = new BlockCoder(new EntropyWriter(sink));
  let rowsSeen = 0;
  for await (const rows of picture.rows()) {
    for (let at = 0; at < rows.length; at += bytesAtOnce) {
      if (rowsSeen >= height) throw damaged("The picture has more rows than it declares.");
      taken.take(rows, at, rowsSeen % unitRows);
      rowsSeen += rowsAtOnce;
      if (rowsSeen % unitRows !== 0) continue;
      coder.codeRow(planes, columns);
      if (sink.isFull) yield sink.take();
    }
  }
  if (rowsSeen < height) throw damaged("The picture has fewer rows than it declares.");
  if (rowsSeen % unitRows !== 0) {
    taken.pad(rowsSeen % unitRows);
    coder.codeRow(planes, columns);
  }
  coder.finish();
  sink.writeBytes(0xff, EOI);
  yield sink.take();
}

function headOf({ width, height, orientation, profile }: Picture, planes: readonly Plane[]): Uint8Array {
  const frame = [8, height >> 8, height & 255, width >> 8, width & 255, planes.length];
  const scan = [planes.length];
  for (const [index, { factor, table }] of planes.entries()) {
    frame.push(index + 1, factor * 0x11, table);
    scan.push(index + 1, table * 0x11);
  }
  const huffman: number[] = [];
  const quant: number[] = [];
  for (const table of new Set(planes.map((plane) => plane.table))) {
    huffman.push(table, ...specBytes(DC_TABLES[table]), 0x10 | table, ...specBytes(AC_TABLES[table]));
    quant.push(table, ...(STEPS[table] ?? []));
  }
  return concatBytes([
    Uint8Array.of(0xff, SOI),
    segmentBytes(APP0, Uint8Array.from(JFIF)),
    ...(orientation === 1 ? [] : [orientationSegment(orientation)]),
    ...(profile === undefined ? [] : profilePayloads(profile).map((part) => segmentBytes(APP2, part))),
    segmentBytes(DQT, Uint8Array.from(quant)),
    segmentBytes(SOF0, Uint8Array.from(frame)),
    segmentBytes(DHT, Uint8Array.from(huffman)),
    segmentBytes(SOS, Uint8Array.from([...scan, 0, 63, 0])),
  ]);
}

function specBytes(spec: HuffmanSpec | undefined): number[] {
  return spec === undefined ? [] : [...spec.counts, ...spec.symbols];
}

/** Quantization steps in zigzag order, scaled as in the Independent JPEG Group's library. */
const STEPS = QUANT_TABLES.map((table) =>
  Array.from(NATURAL_ORDER, (place) => {
    const step = Math.floor(((table[place] ?? 0) * (200 - 2 * QUALITY) + 50) / 100);
    return Math.max(1, Math.min(255, step));
  }),
);

/** Reciprocals of the steps, which avoid divisions, and the zigzag order. */
const SHARES = STEPS.map((table) => Float64Array.from(table, (step) => 1 / step));
const ZIGZAG = Uint8Array.from(NATURAL_ORDER);

/** Codes blocks of eight rows (T.81, annex F.1.2). */
class BlockCoder {
  readonly #writer: EntropyWriter;
  readonly #block = new Float64Array(64);
  readonly #dc = DC_TABLES.map(encoderCodes);
  readonly #ac = AC_TABLES.map(encoderCodes);
  readonly #quantized = new Int32Array(64);

  constructor(writer: EntropyWriter) {
    this.#writer = writer;
  }

  codeRow(planes: readonly Plane[], columns: number): void {
    for (let column = 0; column < columns; column++) {
      for (const plane of planes) {
        const { factor } = plane;
        for (let down = 0; down < factor; down++)
          for (let across = 0; across < factor; across++)
            this.#codeBlock(plane, down * 8 * plane.stride + (column * factor + across) * 8);
      }
      this.#writer.relieve();
    }
  }

  finish(): void {
    this.#writer.finishInterval();
  }

  /** Codes the block whose first sample is at `at`. */
  #codeBlock(plane: Plane, at: number): void {
    const { samples, stride } = plane;
    const block = this.#block;
    for (let y = 0, from = at; y < 64; y += 8, from += stride)
      for (let x = 0; x < 8; x++) block[y + x] = (samples[from + x] as number) - 128;
    forwardDct(block);
    const quantized = this.#quantized;
    const shares = SHARES[plane.table] as Float64Array;
    let last = 0;
    for (let k = 0; k < 64; k++) {
      const steps = (block[ZIGZAG[k] as number] as number) * (shares[k] as number);
      // Nearly all coefficients are zero, and this is the innermost loop of the conversion.
      if (steps < 0.5 && steps > -0.5) {
        quantized[k] = 0;
        continue;
      }
      quantized[k] = steps < 0 ? steps - 0.5 : steps + 0.5;
      last = k;
    }
    const dc = quantized[0] as number;
    const difference = dc - plane.prediction;
    plane.prediction = dc;
    const ac = this.#ac[plane.table] as Int32Array;
    this.#put(this.#dc[plane.table] as Int32Array, sizeOf(difference), difference);
    let run = 0;
    for (let k = 1; k <= last; k++) {
      const level = quantized[k] as number;
      if (level === 0) {
        run++;
        continue;
      }
      for (; run > 15; run -= 16) this.#symbol(ac, SIXTEEN_ZEROS);
      this.#put(ac, (run << 4) | sizeOf(level), level);
      run = 0;
    }
    if (last < 63) this.#symbol(ac, END_OF_BLOCK);
  }

  #symbol(codes: Int32Array, symbol: number): void {
    const code = codes[symbol] as number;
    this.#writer.put(code >> 5, code & 31);
  }

  #put(codes: Int32Array, symbol: number, level: number): void {
    this.#symbol(codes, symbol);
    const size = symbol & 15;
    this.#writer.put(bitsOf(level, size), size);
  }
}
