import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";
import type { BandWriter } from "./band-writer.ts";
import { readBits } from "./bits.ts";
import type { BlockCoder, BlockPlace, Slot } from "./block-coder.ts";
import type { EntropyReader } from "./entropy-reader.ts";
import type { Scan } from "./frame.ts";
import type { NonZeroMap } from "./non-zero-map.ts";

/** The part that first and refining AC scans share (T.81, G.1.2.2 and G.1.2.3). */
export abstract class ProgressiveAcCoder implements BlockCoder {
  protected readonly reader: EntropyReader;
  protected readonly band: BandWriter;
  protected readonly slot: Slot;
  protected readonly map: NonZeroMap;
  protected readonly start: number;
  protected readonly end: number;
  protected readonly shift: number;
  /** Number of following blocks that the source's last EOBn finishes. */
  protected finishedBlocks = 0;
  readonly #method: RedactionMethod;
  readonly #coefficients = new Int16Array(64);

  constructor(args: {
    reader: EntropyReader;
    band: BandWriter;
    slot: Slot;
    map: NonZeroMap;
    scan: Scan;
    method: RedactionMethod;
  }) {
    this.reader = args.reader;
    this.band = args.band;
    this.slot = args.slot;
    this.map = args.map;
    this.start = args.scan.spectralStart;
    this.end = args.scan.spectralEnd;
    this.shift = args.scan.approximationLow;
    this.#method = args.method;
  }

  abstract code(place: BlockPlace): boolean;
  abstract blank(place: BlockPlace): void;

  endInterval(): void {
    this.band.finishInterval();
  }

  restart(): void {
    this.finishedBlocks = 0;
  }

  /** Reads the length of a run of finished blocks, including this block. */
  protected readRun(size: number): number {
    return (1 << size) + readBits(this.reader, size);
  }

  protected paint({ column, row, cellClass }: BlockPlace): Int16Array {
    const coefficients = this.#coefficients;
    const method = this.#method;
    const { painter, steps } = this.slot;
    painter.paint({ column, row, cellClass, method, steps, coefficients });
    return coefficients;
  }
}
