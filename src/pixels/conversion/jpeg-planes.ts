import { CHANNELS, type Samples } from "./picture.ts";

const BLOCK_SIDE = 8;

/** One component of a JPEG: a row of blocks that is filled and then coded. */
export interface Plane {
  readonly samples: Uint8Array;
  /** Samples between the starts of two rows. */
  readonly stride: number;
  /** Blocks in each direction per unit of the scan (T.81, A.2.3): 2 is twice as fine as 1. */
  readonly factor: 1 | 2;
  readonly table: 0 | 1;
  prediction: number;
}

/** Copies rows of a picture into planes as they arrive. */
export class PlaneRows {
  readonly planes: readonly Plane[];
  /** Units of the scan in a row of them, and the picture rows that one unit covers. */
  readonly columns: number;
  readonly unitRows: number;
  /** Rows that arrive together, and their bytes. */
  readonly rowsAtOnce: 1 | 2;
  readonly bytesAtOnce: number;
  readonly #samples: Samples;
  readonly #width: number;

  constructor({ width, samples }: { readonly width: number; readonly samples: Samples }) {
    const isHalved = samples === "ycc420";
    const most = isHalved ? 2 : 1;
    this.#samples = samples;
    this.#width = width;
    this.unitRows = BLOCK_SIDE * most;
    this.columns = Math.ceil(width / this.unitRows);
    this.rowsAtOnce = most;
    this.bytesAtOnce = isHalved ? 2 * (width + Math.ceil(width / 2)) : width * CHANNELS[samples];
    this.planes = Array.from({ length: samples === "grey" ? 1 : 3 }, (_, index): Plane => {
      const factor = index === 0 ? most : 1;
      const stride = this.columns * BLOCK_SIDE * factor;
      const samplesOf = new Uint8Array(stride * BLOCK_SIDE * factor);
      return { samples: samplesOf, stride, factor, table: index === 0 ? 0 : 1, prediction: 0 };
    });
  }

  /** Copies the rows of `bytes` at `at` into the planes, starting at row `row`. */
  take(bytes: Uint8Array, at: number, row: number): void {
    const [width, samples] = [this.#width, this.#samples];
    if (samples === "ycc420") this.#takeHalved(bytes, at, row);
    else if (samples === "rgb" || samples === "rgba") this.#takeRgb(bytes, at, row);
    else this.#takeBare(bytes, at, row);
    for (const { samples: of, stride, factor } of this.planes) {
      const seen = Math.ceil((width * factor * BLOCK_SIDE) / this.unitRows);
      const rows = (this.rowsAtOnce * factor * BLOCK_SIDE) / this.unitRows;
      const first = (row * factor * BLOCK_SIDE) / this.unitRows;
      for (let y = first; y < first + rows; y++) {
        const start = y * stride;
        of.fill(of[start + seen - 1] as number, start + seen, start + stride);
      }
    }
  }

  /** Fills the rest of the planes with copies of the last of `rows` rows. */
  pad(rows: number): void {
    for (const { samples, stride, factor } of this.planes) {
      const last = ((rows * factor * BLOCK_SIDE) / this.unitRows - 1) * stride;
      for (let to = last + stride; to < samples.length; to += stride)
        samples.copyWithin(to, last, last + stride);
    }
  }

  #takeHalved(bytes: Uint8Array, at: number, row: number): void {
    const width = this.#width;
    const half = Math.ceil(width / 2);
    const [luma, blue, red] = this.planes as [Plane, Plane, Plane];
    luma.samples.set(bytes.subarray(at, at + width), row * luma.stride);
    luma.samples.set(bytes.subarray(at + width, at + 2 * width), (row + 1) * luma.stride);
    const from = at + 2 * width;
    blue.samples.set(bytes.subarray(from, from + half), (row / 2) * blue.stride);
    red.samples.set(bytes.subarray(from + half, from + 2 * half), (row / 2) * red.stride);
  }

  /** Copies a row of gray, or of luma and chroma. */
  #takeBare(bytes: Uint8Array, at: number, row: number): void {
    const { planes } = this;
    for (const [index, { samples, stride }] of planes.entries()) {
      const to = row * stride;
      for (let x = 0, from = at + index; x < this.#width; x++, from += planes.length)
        samples[to + x] = bytes[from] as number;
    }
  }

  /** Converts a row of red, green and blue (ITU-T T.871, 7). */
  #takeRgb(bytes: Uint8Array, at: number, row: number): void {
    const [luma, blue, red] = this.planes.map(({ samples }) => samples) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    const channels = CHANNELS[this.#samples];
    const start = row * (this.planes[0] as Plane).stride;
    for (let to = start, from = at; to < start + this.#width; to++, from += channels) {
      const [r, g, b] = [bytes[from] as number, bytes[from + 1] as number, bytes[from + 2] as number];
      luma[to] = 0.299 * r + 0.587 * g + 0.114 * b + 0.5;
      blue[to] = Math.min(255, 128.5 - 0.168736 * r - 0.331264 * g + 0.5 * b);
      red[to] = Math.min(255, 128.5 + 0.5 * r - 0.418688 * g - 0.081312 * b);
    }
  }
}
