import { ByteSink } from "../redaction/bytes/byte-sink.ts";
import { concatBytes, textBytes } from "../redaction/bytes/bytes.ts";
import { bitsOf, sizeOf } from "../redaction/jpeg/bits.ts";
import { EntropyWriter } from "../redaction/jpeg/entropy-writer.ts";
import { encoderCodes, type HuffmanSpec } from "../redaction/jpeg/huffman.ts";
import { NATURAL_ORDER } from "../redaction/jpeg/interpolation.ts";
import { profilePayloads } from "../redaction/jpeg/profile.ts";
import { DHT, DQT, EOI, orientationSegment, segmentBytes, SOI, SOS } from "../redaction/jpeg/segments.ts";
import { forwardDct } from "./forward-dct.ts";
import { AC_TABLES, DC_TABLES, QUANT_TABLES } from "./jpeg-tables.ts";
import { CHANNELS, damaged, tooLarge, type Picture } from "./picture.ts";

const QUALITY = 92;
const MOST_SIDE = 65_535;
const SOF0 = 0xc0;
const APP0 = 0xe0;
const APP2 = 0xe2;
const SIXTEEN_ZEROS = 0xf0;
const END_OF_BLOCK = 0;
const JFIF = [...textBytes("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0];

/** One component as it is coded. */
interface Plane {
  /** Eight rows of samples. */
  readonly samples: Uint8Array;
  readonly table: 0 | 1;
  prediction: number;
}

/**
 * Writes an opaque picture as a baseline JPEG with full color resolution while it is decoded, holding eight of its rows. Nothing
 * but its pixels, their profile and orientation is in it.
 */
export async function* writeJpeg(picture: Picture): AsyncGenerator<Uint8Array> {
  const { width, height, samples } = picture;
  if (width > MOST_SIDE || height > MOST_SIDE) throw tooLarge("The picture has too long a side for a JPEG.");
  const channels = CHANNELS[samples];
  const rowBytes = width * channels;
  const columns = Math.ceil(width / 8);
  const planes = Array.from({ length: channels === 1 ? 1 : 3 }, (_, index): Plane => {
    return { samples: new Uint8Array(columns * 64), table: index === 0 ? 0 : 1, prediction: 0 };
  });
  yield headOf(picture, planes.length);

  const sink = new ByteSink();
  const coder = new BlockCoder(new EntropyWriter(sink));
  const gather = samples === "rgb" || samples === "rgba" ? gatherRgb : gatherBare;
  let rowsSeen = 0;
  for await (const rows of picture.rows()) {
    for (let at = 0; at < rows.length; at += rowBytes) {
      if (++rowsSeen > height) throw damaged("The picture has more rows than it declares.");
      gather({ row: rows, at, width, channels, planes, to: ((rowsSeen - 1) & 7) * columns * 8 });
      if ((rowsSeen & 7) !== 0) continue;
      coder.codeRow(planes, columns);
      if (sink.isFull) yield sink.take();
    }
  }
  if (rowsSeen < height) throw damaged("The picture has fewer rows than it declares.");
  if ((rowsSeen & 7) !== 0) {
    const stride = columns * 8;
    const last = ((rowsSeen - 1) & 7) * stride;
    for (const { samples: of } of planes)
      for (let to = last + stride; to < of.length; to += stride) of.copyWithin(to, last, last + stride);
    coder.codeRow(planes, columns);
  }
  coder.finish();
  sink.writeBytes(0xff, EOI);
  yield sink.take();
}

function headOf({ width, height, orientation, profile }: Picture, components: number): Uint8Array {
  const frame = [8, height >> 8, height & 255, width >> 8, width & 255, components];
  const scan = [components];
  for (let id = 1; id <= components; id++) {
    const table = id === 1 ? 0 : 1;
    frame.push(id, 0x11, table);
    scan.push(id, table * 0x11);
  }
  const huffman: number[] = [];
  const quant: number[] = [];
  for (const table of components === 1 ? [0] : [0, 1]) {
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

/** Quantization steps in zigzag order, made finer as the Independent JPEG Group's library does. */
const STEPS = QUANT_TABLES.map((table) =>
  Array.from(NATURAL_ORDER, (place) => {
    const step = Math.floor(((table[place] ?? 0) * (200 - 2 * QUALITY) + 50) / 100);
    return Math.max(1, Math.min(255, step));
  }),
);

/** What a step is of one, so that nothing is divided; and the order of coefficients, at hand. */
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
    const stride = columns * 8;
    for (let column = 0; column < columns; column++) {
      for (const plane of planes) {
        const block = this.#block;
        for (let y = 0; y < 8; y++)
          for (let x = 0; x < 8; x++)
            block[y * 8 + x] = (plane.samples[y * stride + column * 8 + x] as number) - 128;
        forwardDct(block);
        this.#code(plane);
      }
      this.#writer.relieve();
    }
  }

  finish(): void {
    this.#writer.finishInterval();
  }

  #code(plane: Plane): void {
    const block = this.#block;
    const quantized = this.#quantized;
    const shares = SHARES[plane.table] as Float64Array;
    let last = 0;
    for (let k = 0; k < 64; k++) {
      const steps = (block[ZIGZAG[k] as number] as number) * (shares[k] as number);
      // Nearly all are zero, and this is the innermost loop of converting a photo.
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

interface Gathering {
  readonly row: Uint8Array;
  readonly at: number;
  readonly width: number;
  readonly channels: number;
  readonly planes: readonly Plane[];
  /** Where the row begins in each plane. */
  readonly to: number;
}

/** Takes in a row of grey, or of luma and color differences. */
function gatherBare({ row, at, width, channels, planes, to }: Gathering): void {
  for (let c = 0; c < channels; c++) {
    const samples = (planes[c] as Plane).samples;
    for (let x = 0; x < width; x++) samples[to + x] = row[at + x * channels + c] as number;
    samples.fill(samples[to + width - 1] as number, to + width, to + Math.ceil(width / 8) * 8);
  }
}

/** Takes in a row of red, green and blue (ITU-T T.871, 7). */
function gatherRgb({ row, at, width, channels, planes, to }: Gathering): void {
  const [luma, blue, red] = planes.map(({ samples }) => samples) as [Uint8Array, Uint8Array, Uint8Array];
  for (let x = 0, from = at; x < width; x++, from += channels) {
    const [r, g, b] = [row[from] as number, row[from + 1] as number, row[from + 2] as number];
    luma[to + x] = 0.299 * r + 0.587 * g + 0.114 * b + 0.5;
    blue[to + x] = Math.min(255, 128.5 - 0.168736 * r - 0.331264 * g + 0.5 * b);
    red[to + x] = Math.min(255, 128.5 + 0.5 * r - 0.418688 * g - 0.081312 * b);
  }
  for (const samples of [luma, blue, red])
    samples.fill(samples[to + width - 1] as number, to + width, to + Math.ceil(width / 8) * 8);
}
