import type { ByteSource } from "../bytes/byte-source.ts";
import { RedactionError } from "../bytes/errors.ts";
import { type Component, type Frame, readFrame, readScan, type Scan } from "./frame.ts";
import { ProfileSegments } from "./profile.ts";
import {
  APP1,
  APP14,
  DAC,
  DHT,
  DQT,
  DRI,
  EOI,
  isFrameMarker,
  keepApplicationSegment,
  nextMarker,
  readPayload,
  readStart,
  segmentBytes,
  SOS,
} from "./segments.ts";
import { TableStore } from "./tables.ts";

/** Most pixels that a picture may declare. It is above every limit of the service, and bounds the time for one file. */
const MAX_PIXELS = 2 ** 27;

/** The next part of a file. */
export type Step =
  | { readonly kind: "header"; readonly bytes: Uint8Array | undefined }
  | { readonly kind: "scan"; readonly bytes: Uint8Array; readonly scan: Scan; readonly frame: Frame }
  | { readonly kind: "end" };

/** Reads a file's segments in order, keeps what they set, and returns the replacement of each. */
export class JpegWalker {
  readonly tables = new TableStore();
  frame: Frame | undefined;
  /** Quantization steps of each component, from its first scan. */
  readonly steps: (Uint16Array | undefined)[] = [];
  readonly #source: ByteSource;
  #marker: number | undefined;
  readonly #profile = new ProfileSegments();
  #hasOrientation = false;
  #isAdobeRgb = false;
  #hasScan = false;
  /** By component and coefficient: the bit position coded last. Undefined before the first scan. */
  readonly #precision: (number | undefined)[][] = [];

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Whether the scans read so far code every component's DC in full. */
  get isDcComplete(): boolean {
    return this.frame?.components.every(({ index }) => this.#precision[index]?.[0] === 0) ?? false;
  }

  /** Quantization step of a component's DC, 1 if no scan contains it. */
  dcStepOf({ index }: Component): number {
    return this.steps[index]?.[0] ?? 1;
  }

  /** Whether a component is Cb or Cr. Three components are RGB only if the Adobe segment or the component names say so. */
  isColourDifference({ index }: Component): boolean {
    const components = this.frame?.components ?? [];
    const names = String.fromCharCode(...components.map(({ id }) => id));
    return components.length === 3 && index > 0 && !this.#isAdobeRgb && names !== "RGB";
  }

  /** Reads the start of image. */
  async start(): Promise<void> {
    await readStart(this.#source);
  }

  /** Continues at the marker that ended a scan. */
  resume(marker: number): void {
    this.#marker = marker;
  }

  /** Reads the next segment. A file that is truncated after its first scan header ends there. Throws {@link RedactionError}. */
  async next(): Promise<Step> {
    const marker = this.#marker ?? (await nextMarker(this.#source));
    this.#marker = undefined;
    if (marker === -1 || marker === EOI) return { kind: "end" };
    try {
      return this.#read(marker, await readPayload(this.#source, marker));
    } catch (error) {
      if (this.#hasScan && this.#source.isEnded) return { kind: "end" };
      throw error;
    }
  }

  #read(marker: number, payload: Uint8Array): Step {
    if (isFrameMarker(marker)) return { kind: "header", bytes: this.#readFrame(marker, payload) };
    if (marker === SOS) return this.#readScan(payload);
    if (marker === DHT) {
      this.tables.readHuffman(payload);
      return { kind: "header", bytes: undefined };
    }
    if (marker === DQT) return header(DQT, this.tables.readQuantization(payload));
    if (marker === DRI) {
      this.tables.readRestartInterval(payload);
      return header(DRI, payload.subarray(0, 2));
    }
    if (marker === DAC)
      throw new RedactionError("unsupported", "Arithmetic-coded JPEG files are not redacted.");
    if (marker === APP1 && this.#hasOrientation) return { kind: "header", bytes: undefined };
    if (marker === APP14 && payload.byteLength >= 12) this.#isAdobeRgb = payload[11] === 0;
    const bytes = keepApplicationSegment({ marker, payload }, this.#profile);
    this.#hasOrientation ||= marker === APP1 && bytes !== undefined;
    return { kind: "header", bytes };
  }

  #readFrame(marker: number, payload: Uint8Array): Uint8Array {
    if (this.frame !== undefined)
      throw new RedactionError("unsupported", "The JPEG file holds several frames.");
    const frame = readFrame(marker, payload);
    if (frame.width * frame.height > MAX_PIXELS) {
      throw new RedactionError("too_large", `The JPEG picture has ${frame.width} × ${frame.height} pixels.`);
    }
    this.frame = frame;
    for (const { index } of frame.components) this.#precision[index] = [];
    return segmentBytes(marker, payload.subarray(0, 6 + 3 * frame.components.length));
  }

  #readScan(payload: Uint8Array): Step {
    const { frame } = this;
    if (frame === undefined) throw new RedactionError("undecodable", "A scan comes before its frame header.");
    const scan = readScan(payload, frame);
    for (const { component } of scan.components) {
      this.#checkOrder(scan, component.index);
      this.steps[component.index] ??= this.tables.quantSteps[component.quantTable];
      if (this.steps[component.index] === undefined) {
        throw new RedactionError("undecodable", "A component names a quantization table that is not there.");
      }
    }
    this.#hasScan = true;
    const written = payload.slice(0, 4 + 2 * scan.components.length);
    if (!frame.isProgressive) written.set([0, 63, 0], written.byteLength - 3);
    return { kind: "scan", bytes: segmentBytes(SOS, written), scan, frame };
  }

  /** Every coefficient is coded once and then refined bit by bit. The meaning of a painted block's bits depends on this order. */
  #checkOrder(scan: Scan, component: number): void {
    const coded = this.#precision[component] ?? [];
    for (let k = scan.spectralStart; k <= scan.spectralEnd; k++) {
      const expected = scan.approximationHigh === 0 ? undefined : scan.approximationHigh;
      if (coded[k] !== expected) {
        throw new RedactionError("undecodable", "The scans of the JPEG file contradict each other.");
      }
      coded[k] = scan.approximationLow;
    }
  }
}

function header(marker: number, payload: Uint8Array): Step {
  return { kind: "header", bytes: segmentBytes(marker, payload) };
}
