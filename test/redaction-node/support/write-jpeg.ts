import { blockOf, blocksOfScan, type JpegPicture, type Plane, type ScanStep } from "./jpeg-picture.ts";

export interface WriteOptions {
  readonly restartInterval?: number;
  /** The scans; all components in one by default. */
  readonly scans?: readonly ScanStep[];
  /** Extra bytes put before every marker but the first. */
  readonly fillBytes?: number;
  /** Segments put after the start of image. */
  readonly segments?: readonly Uint8Array[];
  readonly trailing?: Uint8Array;
  /** SOF1 instead of SOF0. */
  readonly isExtended?: boolean;
}

/** An element of a scan: a symbol of a table, bits, or a restart marker. */
type Token =
  | { readonly table: number; readonly symbol: number }
  | { readonly bits: number; readonly length: number }
  | { readonly restart: number };

/** Writes coefficients as a JPEG file with Huffman tables for each scan. Shares no code with the kernel. */
export function writeJpeg(picture: JpegPicture, options: WriteOptions = {}): Uint8Array {
  const { planes, width, height, isProgressive, quantSteps } = picture;
  const fill = Array.from({ length: options.fillBytes ?? 0 }, () => 0xff);
  const out: number[] = [0xff, 0xd8];
  const segment = (marker: number, payload: readonly number[]): void => {
    const length = payload.length + 2;
    out.push(...fill, 0xff, marker, length >> 8, length & 255, ...payload);
  };
  for (const extra of options.segments ?? []) out.push(...extra);
  for (const [index, steps] of quantSteps.entries()) {
    const isWide = steps.some((step) => step > 255);
    const body = [...steps].flatMap((step) => (isWide ? [step >> 8, step & 255] : [step]));
    segment(0xdb, [(isWide ? 0x10 : 0) | index, ...body]);
  }
  segment(isProgressive ? 0xc2 : options.isExtended === true ? 0xc1 : 0xc0, [
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    planes.length,
    ...planes.flatMap(({ id, horizontal, vertical, quantTable }) => [
      id,
      (horizontal << 4) | vertical,
      quantTable,
    ]),
  ]);
  const restartInterval = options.restartInterval ?? 0;
  if (restartInterval > 0) segment(0xdd, [restartInterval >> 8, restartInterval & 255]);
  const whole = [{ planes: planes.map((_, index) => index), start: 0, end: 63, high: 0, low: 0 }];
  for (const step of options.scans ?? whole) {
    const tokens = tokensOf(picture, step, restartInterval);
    const codes = new Map<number, ReadonlyMap<number, string>>();
    for (const table of new Set(tokens.flatMap((token) => ("table" in token ? [token.table] : [])))) {
      const { payload, code } = makeTable(tokens, table);
      segment(0xc4, payload);
      codes.set(table, code);
    }
    segment(0xda, [
      step.planes.length,
      ...step.planes.flatMap((plane) => [planes[plane]?.id ?? 0, (tableOf(plane) << 4) | tableOf(plane)]),
      step.start,
      step.end,
      (step.high << 4) | step.low,
    ]);
    writeTokens(tokens, codes, out);
  }
  out.push(...fill, 0xff, 0xd9, ...(options.trailing ?? []));
  return Uint8Array.from(out);
}

function tableOf(plane: number): number {
  return plane === 0 ? 0 : 1;
}

function tokensOf(picture: JpegPicture, step: ScanStep, restartInterval: number): Token[] {
  const tokens: Token[] = [];
  const predictions = new Map<number, number>();
  let runs: { blocks: number; bits: number[]; table: number } = { blocks: 0, bits: [], table: 0 };
  let interval = 0;
  const flush = (): void => {
    if (runs.blocks > 0) {
      const size = Math.floor(Math.log2(runs.blocks));
      tokens.push({ table: runs.table, symbol: size << 4 }, { bits: runs.blocks - 2 ** size, length: size });
      for (const bit of runs.bits) tokens.push({ bits: bit, length: 1 });
    }
    runs = { blocks: 0, bits: [], table: 0 };
  };
  for (const { plane, column, row, unit } of blocksOfScan(picture, step.planes)) {
    const due = restartInterval === 0 ? 0 : Math.floor(unit / restartInterval);
    if (due !== interval) {
      flush();
      tokens.push({ restart: interval & 7 });
      interval = due;
      predictions.clear();
    }
    const block = blockOf(picture.planes[plane] as Plane, column, row);
    if (step.start === 0) pushDc(tokens, block, step, predictions, plane);
    if (step.end === 0) continue;
    const table = 0x10 | tableOf(plane);
    const rest = pushAc(tokens, block, step, table, flush);
    if (rest === undefined) continue;
    if (!picture.isProgressive) {
      tokens.push({ table, symbol: 0 });
      continue;
    }
    runs.blocks++;
    runs.bits.push(...rest);
    runs.table = table;
    if (runs.blocks === 0x7fff || runs.bits.length > 900) flush();
  }
  flush();
  return tokens;
}

function pushValue(tokens: Token[], table: number, run: number, value: number): void {
  const size = value === 0 ? 0 : Math.floor(Math.log2(Math.abs(value))) + 1;
  tokens.push({ table, symbol: (run << 4) | size });
  if (size > 0) tokens.push({ bits: value < 0 ? value + 2 ** size - 1 : value, length: size });
}

function pushDc(
  tokens: Token[],
  block: Int16Array,
  { high, low }: ScanStep,
  predictions: Map<number, number>,
  plane: number,
): void {
  const value = (block[0] ?? 0) >> low;
  if (high > 0) {
    tokens.push({ bits: value & 1, length: 1 });
    return;
  }
  pushValue(tokens, tableOf(plane), 0, value - (predictions.get(plane) ?? 0));
  predictions.set(plane, value);
}

/** Pushes a block's AC tokens. If the block ends before its band, returns the correction bits that follow. */
function pushAc(
  tokens: Token[],
  block: Int16Array,
  { start, end, high, low }: ScanStep,
  table: number,
  flush: () => void,
): number[] | undefined {
  const magnitude = (k: number): number => Math.abs(block[k] ?? 0) >> low;
  const isNew = (k: number): boolean => (high > 0 ? magnitude(k) === 1 : magnitude(k) > 0);
  let last = start - 1;
  for (let k = Math.max(1, start); k <= end; k++) if (isNew(k)) last = k;
  let run = 0;
  let corrections: number[] = [];
  const pushCorrections = (): void => {
    for (const bit of corrections) tokens.push({ bits: bit, length: 1 });
    corrections = [];
    run = 0;
  };
  for (let k = Math.max(1, start); k <= end; k++) {
    if (high > 0 && magnitude(k) > 1) {
      corrections.push(magnitude(k) & 1);
    } else if (isNew(k)) {
      flush();
      if (high > 0) {
        tokens.push({ table, symbol: (run << 4) | 1 }, { bits: (block[k] ?? 0) > 0 ? 1 : 0, length: 1 });
      } else {
        pushValue(tokens, table, run, (block[k] ?? 0) < 0 ? -magnitude(k) : magnitude(k));
      }
      pushCorrections();
    } else if (++run === 16 && k < last) {
      flush();
      tokens.push({ table, symbol: 0xf0 });
      pushCorrections();
    }
  }
  return run > 0 || corrections.length > 0 ? corrections : undefined;
}

/** The most frequent symbol gets one bit and all others the same length, which is valid and unlike any table of the kernel. */
function makeTable(
  tokens: readonly Token[],
  table: number,
): { payload: number[]; code: ReadonlyMap<number, string> } {
  const frequency = new Map<number, number>();
  for (const token of tokens) {
    if ("table" in token && token.table === table)
      frequency.set(token.symbol, (frequency.get(token.symbol) ?? 0) + 1);
  }
  const symbols = [...frequency].sort(([, a], [, b]) => b - a).map(([symbol]) => symbol);
  const length = Math.ceil(Math.log2(symbols.length + 1));
  const code = new Map(
    symbols.map((symbol, index) => [
      symbol,
      index === 0 ? "0" : `1${(index - 1).toString(2).padStart(length, "0")}`,
    ]),
  );
  const counts = Array.from({ length: 16 }, (_, at) => Number(at === 0));
  if (symbols.length > 1) counts[length] = symbols.length - 1;
  return { payload: [table, ...counts, ...symbols], code };
}

function writeTokens(
  tokens: readonly Token[],
  codes: ReadonlyMap<number, ReadonlyMap<number, string>>,
  out: number[],
): void {
  let byte = 0;
  let count = 0;
  const put = (bit: number): void => {
    byte = byte * 2 + bit;
    if (++count < 8) return;
    out.push(byte);
    if (byte === 0xff) out.push(0);
    byte = 0;
    count = 0;
  };
  const pad = (): void => {
    for (let left = (8 - count) % 8; left > 0; left--) put(1);
  };
  for (const token of tokens) {
    if ("restart" in token) {
      pad();
      out.push(0xff, 0xd0 + token.restart);
    } else if ("table" in token) {
      const code = codes.get(token.table)?.get(token.symbol);
      if (code === undefined) throw new Error("no code");
      for (const bit of code) put(bit === "1" ? 1 : 0);
    } else {
      for (let n = token.length - 1; n >= 0; n--) put((token.bits >> n) & 1);
    }
  }
  pad();
}
