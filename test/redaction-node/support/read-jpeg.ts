import { blockOf, blocksOfScan, type JpegPicture, type Plane, type ScanStep } from "./jpeg-picture.ts";

/** A reader of JPEG coefficients that shares nothing with the kernel: bit by bit, everything in memory. */
export function readJpeg(bytes: Uint8Array): {
  picture: JpegPicture;
  markers: number[];
  segments: Segment[];
} {
  const reader = new JpegFile(bytes);
  return reader.read();
}

export interface Segment {
  readonly marker: number;
  readonly payload: Uint8Array;
}

type Table = Map<string, number>;

class JpegFile {
  #at = 2;
  #bit = 0;
  readonly #bytes: Uint8Array;
  readonly #tables = new Map<number, Table>();
  readonly #quantSteps: Uint16Array[] = [];
  #restartInterval = 0;
  #picture: JpegPicture | undefined;
  #endOfBlocks = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(): { picture: JpegPicture; markers: number[]; segments: Segment[] } {
    const markers: number[] = [];
    const segments: Segment[] = [];
    if (this.#bytes[0] !== 0xff || this.#bytes[1] !== 0xd8) throw new Error("no SOI");
    for (;;) {
      if (this.#bytes[this.#at] !== 0xff) throw new Error(`no marker at ${this.#at}`);
      while (this.#bytes[this.#at] === 0xff) this.#at++;
      const marker = this.#bytes[this.#at++] ?? 0xd9;
      markers.push(marker);
      if (marker === 0xd9) break;
      const length = this.#uint16(this.#at);
      const payload = this.#bytes.subarray(this.#at + 2, this.#at + length);
      this.#at += length;
      segments.push({ marker, payload });
      this.#apply(marker, payload);
    }
    if (this.#at !== this.#bytes.length) throw new Error(`${this.#bytes.length - this.#at} bytes after EOI`);
    if (this.#picture === undefined) throw new Error("no frame");
    return { picture: this.#picture, markers, segments };
  }

  #uint16(at: number): number {
    return ((this.#bytes[at] ?? 0) << 8) | (this.#bytes[at + 1] ?? 0);
  }

  #apply(marker: number, payload: Uint8Array): void {
    if (marker === 0xdb) this.#readQuant(payload);
    else if (marker === 0xc4) this.#readTables(payload);
    else if (marker === 0xdd) this.#restartInterval = ((payload[0] ?? 0) << 8) | (payload[1] ?? 0);
    else if (marker >= 0xc0 && marker <= 0xc2) this.#readFrame(marker, payload);
    else if (marker === 0xda) this.#readScan(payload);
  }

  #readQuant(payload: Uint8Array): void {
    for (let at = 0; at < payload.length;) {
      const place = payload[at++] ?? 0;
      const steps = new Uint16Array(64);
      for (let k = 0; k < 64; k++) {
        steps[k] =
          place >> 4 === 1 ? ((payload[at++] ?? 0) << 8) | (payload[at++] ?? 0) : (payload[at++] ?? 0);
      }
      this.#quantSteps[place & 15] = steps;
    }
  }

  #readTables(payload: Uint8Array): void {
    for (let at = 0; at < payload.length;) {
      const place = payload[at] ?? 0;
      const table: Table = new Map();
      let code = 0;
      let symbol = at + 17;
      for (let length = 1; length <= 16; length++) {
        for (let n = 0; n < (payload[at + length] ?? 0); n++, code++) {
          const bits = code.toString(2).padStart(length, "0");
          if (bits.length > length || !bits.includes("0"))
            throw new Error("a code of ones, or too many codes");
          table.set(bits, payload[symbol++] ?? 0);
        }
        code <<= 1;
      }
      this.#tables.set(place, table);
      at = symbol;
    }
  }

  #readFrame(marker: number, payload: Uint8Array): void {
    const height = ((payload[1] ?? 0) << 8) | (payload[2] ?? 0);
    const width = ((payload[3] ?? 0) << 8) | (payload[4] ?? 0);
    const parts = Array.from({ length: payload[5] ?? 0 }, (_, index) => ({
      id: payload[6 + 3 * index] ?? 0,
      horizontal: (payload[7 + 3 * index] ?? 0) >> 4,
      vertical: (payload[7 + 3 * index] ?? 0) & 15,
      quantTable: payload[8 + 3 * index] ?? 0,
    }));
    const h = Math.max(...parts.map((part) => part.horizontal));
    const v = Math.max(...parts.map((part) => part.vertical));
    const planes: Plane[] = parts.map((part) => {
      const columns = Math.ceil(width / (8 * h)) * part.horizontal;
      const rows = Math.ceil(height / (8 * v)) * part.vertical;
      return Object.assign(part, { columns, rows, coefficients: new Int16Array(64 * columns * rows) });
    });
    this.#picture = { width, height, isProgressive: marker === 0xc2, planes, quantSteps: this.#quantSteps };
  }

  #readScan(payload: Uint8Array): void {
    const picture = this.#picture;
    if (picture === undefined) throw new Error("scan before frame");
    const count = payload[0] ?? 0;
    const parts = Array.from({ length: count }, (_, index) => ({
      plane: picture.planes.findIndex(({ id }) => id === payload[1 + 2 * index]),
      tables: payload[2 + 2 * index] ?? 0,
    }));
    const [start = 0, end = 63, approximation = 0] = payload.subarray(1 + 2 * count);
    const step: ScanStep = {
      planes: parts.map(({ plane }) => plane),
      start,
      end,
      high: approximation >> 4,
      low: approximation & 15,
    };
    const predictions = new Map<number, number>();
    this.#bit = 0;
    this.#endOfBlocks = 0;
    let interval = 0;
    for (const { plane, column, row, unit } of blocksOfScan(picture, step.planes)) {
      const due = this.#restartInterval === 0 ? 0 : Math.floor(unit / this.#restartInterval);
      if (due !== interval) {
        this.#expectRestart(interval);
        interval = due;
        predictions.clear();
        this.#endOfBlocks = 0;
      }
      const block = blockOf(picture.planes[plane] as Plane, column, row);
      const { tables } = parts.find((part) => part.plane === plane) as { tables: number };
      if (start === 0) this.#readDc(block, tables >> 4, step, predictions, plane);
      if (end > 0) {
        if (step.high === 0) this.#readAcFirst(block, tables & 15, step, picture.isProgressive);
        else this.#readAcRefine(block, tables & 15, step);
      }
    }
    if (this.#bit > 0) this.#nextByte();
  }

  #expectRestart(interval: number): void {
    if (this.#bit > 0) this.#nextByte();
    if (this.#bytes[this.#at] !== 0xff || this.#bytes[this.#at + 1] !== 0xd0 + (interval & 7))
      throw new Error("no RST");
    this.#at += 2;
  }

  #nextByte(): void {
    if (this.#bytes[this.#at] === 0xff) this.#at++;
    this.#at++;
    this.#bit = 0;
  }

  #readBit(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error("cut off");
    if (byte === 0xff && this.#bytes[this.#at + 1] !== 0) throw new Error("marker inside data");
    const value = (byte >> (7 - this.#bit)) & 1;
    if (this.#bit++ === 7) this.#nextByte();
    return value;
  }

  #readBits(count: number): number {
    let value = 0;
    for (let n = 0; n < count; n++) value = value * 2 + this.#readBit();
    return value;
  }

  #readSymbol(place: number): number {
    const table = this.#tables.get(place);
    if (table === undefined) throw new Error("no table");
    let bits = "";
    while (bits.length < 16) {
      bits += this.#readBit();
      const symbol = table.get(bits);
      if (symbol !== undefined) return symbol;
    }
    throw new Error("no such code");
  }

  #readValue(size: number): number {
    const bits = this.#readBits(size);
    return size === 0 || bits >= 2 ** (size - 1) ? bits : bits - 2 ** size + 1;
  }

  #readDc(
    block: Int16Array,
    table: number,
    { high, low }: ScanStep,
    predictions: Map<number, number>,
    plane: number,
  ): void {
    if (high > 0) {
      block[0] = (block[0] ?? 0) | (this.#readBit() << low);
      return;
    }
    const value = (predictions.get(plane) ?? 0) + this.#readValue(this.#readSymbol(table));
    predictions.set(plane, value);
    block[0] = value * 2 ** low;
  }

  #readAcFirst(block: Int16Array, table: number, step: ScanStep, hasRuns: boolean): void {
    if (this.#endOfBlocks > 0) {
      this.#endOfBlocks--;
      return;
    }
    for (let k = Math.max(1, step.start); k <= step.end; k++) {
      const symbol = this.#readSymbol(0x10 | table);
      const run = symbol >> 4;
      const size = symbol & 15;
      if (size === 0 && run < 15) {
        if (!hasRuns && run > 0) throw new Error("a run of blocks in a sequential scan");
        this.#endOfBlocks = 2 ** run + this.#readBits(run) - 1;
        return;
      }
      k += run;
      if (k > step.end) throw new Error("a run past the band");
      if (size > 0) block[k] = this.#readValue(size) * 2 ** step.low;
    }
  }

  #readAcRefine(block: Int16Array, table: number, step: ScanStep): void {
    const bit = 2 ** step.low;
    const correct = (k: number): void => {
      const value = block[k] ?? 0;
      if (this.#readBit() === 1) block[k] = value < 0 ? value - bit : value + bit;
    };
    let k = step.start;
    if (this.#endOfBlocks === 0) {
      for (; k <= step.end; k++) {
        const symbol = this.#readSymbol(0x10 | table);
        let run = symbol >> 4;
        let value = 0;
        if ((symbol & 15) === 0 && run < 15) {
          this.#endOfBlocks = 2 ** run + this.#readBits(run);
          break;
        }
        if ((symbol & 15) > 1) throw new Error("a refinement of more than one bit");
        if ((symbol & 15) === 1) value = this.#readBit() === 1 ? bit : -bit;
        for (; k <= step.end; k++) {
          if (block[k] !== 0) correct(k);
          else if (run-- === 0) break;
        }
        if (value !== 0) {
          if (k > step.end) throw new Error("a run past the band");
          block[k] = value;
        }
      }
    }
    if (this.#endOfBlocks === 0) return;
    for (; k <= step.end; k++) if (block[k] !== 0) correct(k);
    this.#endOfBlocks--;
  }
}
