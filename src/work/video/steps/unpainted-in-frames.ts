import { openBytes } from "../../../pixels/redaction/bytes/byte-source.ts";
import { isSameDetail, readDetail, type OutlineDetail } from "../../../pixels/redaction/index.ts";
import type { StoredDetection } from "../../../records/media/detections.ts";
import { ANYTHING } from "../../../records/masking/masking-options.ts";
import { outlineOf } from "../../../records/verification/judge-photo.ts";
import { isSure } from "../tracks/confidence.ts";
import type { ShownThing } from "./verify-frames.ts";

/** A frame, and what the source shows in it. */
interface FrameThings {
  readonly frameIndex: number;
  readonly things: readonly ShownThing[];
}

/**
 * Compares the frames of an output with the same frames of its source, wherever a mask is to be. It depends on no detector.
 * The frames of the output come first, in ascending order, and then those of the source in which a mask is to be.
 */
export class UnpaintedInFrames {
  readonly #frames: readonly FrameThings[];
  readonly #after: (readonly OutlineDetail[])[] = [];
  readonly #unpainted = new Map<number, readonly StoredDetection[]>();
  #nextOfSource = 0;

  constructor(frames: readonly FrameThings[]) {
    this.#frames = frames.map(({ frameIndex, things }) => ({
      frameIndex,
      things: things.filter(isCompared),
    }));
  }

  /** The frames in which a mask is to be. */
  get framesOfSource(): readonly number[] {
    return this.#hiding.map(({ frameIndex }) => frameIndex);
  }

  get #hiding(): readonly FrameThings[] {
    return this.#frames.filter(({ things }) => things.length > 0);
  }

  /** Reads the next frame of the output. */
  async readOutput(jpeg: Uint8Array): Promise<void> {
    const frame = this.#frames[this.#after.length];
    this.#after.push(frame === undefined ? [] : await detailOf(jpeg, frame));
  }

  /** Reads the next of {@link framesOfSource}. */
  async readSource(jpeg: Uint8Array): Promise<void> {
    const frame = this.#hiding[this.#nextOfSource++];
    if (frame === undefined) return;
    const before = await detailOf(jpeg, frame);
    const after = this.#after[this.#frames.indexOf(frame)] ?? [];
    const isBare = (index: number): boolean => isSameDetail(before[index] ?? [], after[index] ?? []);
    this.#unpainted.set(
      frame.frameIndex,
      frame.things.filter((_thing, index) => isBare(index)),
    );
  }

  /** What a mask covers in a frame, and looks as it does in the source. */
  at(frameIndex: number): readonly StoredDetection[] {
    return this.#unpainted.get(frameIndex) ?? [];
  }
}

/** What no mask covers is left to the detector: the tracker may have dropped it as seen only once. */
function isCompared({ category, confidence, isPainted }: ShownThing): boolean {
  return isPainted && category !== null && isSure({ category, confidence: confidence ?? 1 });
}

async function detailOf(jpeg: Uint8Array, { things }: FrameThings): Promise<readonly OutlineDetail[]> {
  if (things.length === 0) return [];
  const outlines = things.map(({ category, box, polygon }) =>
    outlineOf({ category: category ?? ANYTHING, box, polygon }),
  );
  return await readDetail({ open: openBytes(jpeg), format: "jpeg" }, outlines);
}
