import { openBytes } from "../../../pixels/redaction/bytes/byte-source.ts";
import { isSameDetail, readDetail, type OutlineDetail } from "../../../pixels/redaction/index.ts";
import { outlineOf } from "../../../records/verification/judge-photo.ts";
import { isSure } from "../tracks/confidence.ts";
import type { ShownThing } from "./verify-frames.ts";

/** A frame, and the things in it that are compared. */
type ComparedFrame = readonly [frameIndex: number, things: readonly ShownThing[]];

/**
 * Compares frames of an output with the same frames of its source, wherever a mask should cover something. It needs no detector. Call
 * `readOutput` with every frame in ascending order, and then `readSource` with each of {@link framesOfSource}.
 */
export class UnpaintedInFrames {
  readonly #frames: readonly ComparedFrame[];
  readonly #masked: readonly ComparedFrame[];
  readonly #after = new Map<number, readonly OutlineDetail[]>();
  readonly #unpainted = new Map<number, readonly ShownThing[]>();
  #framesOfOutputRead = 0;
  #framesOfSourceRead = 0;

  /** @param shown what the source shows in each frame, in ascending order of frames */
  constructor(shown: ReadonlyMap<number, readonly ShownThing[]>) {
    this.#frames = Array.from(
      shown,
      ([frameIndex, things]) => [frameIndex, things.filter(isCompared)] as const,
    );
    this.#masked = this.#frames.filter(([, things]) => things.length > 0);
  }

  /** The frames in which a mask should cover something. */
  get framesOfSource(): readonly number[] {
    return this.#masked.map(([frameIndex]) => frameIndex);
  }

  /** Reads the next frame of the output. */
  async readOutput(jpeg: Uint8Array): Promise<void> {
    const [frameIndex = 0, things = []] = this.#frames[this.#framesOfOutputRead++] ?? [];
    if (things.length > 0) this.#after.set(frameIndex, await detailOf(jpeg, things));
  }

  /** Reads the next of {@link framesOfSource}. */
  async readSource(jpeg: Uint8Array): Promise<void> {
    const [frameIndex = 0, things = []] = this.#masked[this.#framesOfSourceRead++] ?? [];
    const before = await detailOf(jpeg, things);
    const after = this.#after.get(frameIndex) ?? [];
    const isBare = (index: number): boolean => isSameDetail(before[index] ?? [], after[index] ?? []);
    this.#unpainted.set(
      frameIndex,
      things.filter((_thing, index) => isBare(index)),
    );
  }

  /** The things in a frame that look as they do in the source, although a mask should cover them. */
  at(frameIndex: number): readonly ShownThing[] {
    return this.#unpainted.get(frameIndex) ?? [];
  }
}

/** The detector alone judges places without a mask, because the tracker may have dropped something that it saw only once. */
function isCompared(thing: ShownThing): boolean {
  return thing.isPainted && isSure(thing);
}

async function detailOf(jpeg: Uint8Array, things: readonly ShownThing[]): Promise<readonly OutlineDetail[]> {
  return await readDetail({ open: openBytes(jpeg), format: "jpeg" }, things.map(outlineOf));
}
