import { isSameDetail } from "../../../pixels/redaction/index.ts";
import { isSure } from "../tracks/confidence.ts";
import { detailsIn, type SourceDetail, type SourceDetailReader } from "./source-details.ts";
import type { ShownThing } from "./verify-frames.ts";

/**
 * Compares frames of an output with the stored detail of the source, wherever a mask should cover something. Needs no detector. Places
 * without a mask are not compared, because the tracker may have dropped a detection that appears in one frame only.
 */
export class UnpaintedInFrames {
  readonly #frames: readonly (readonly [frameIndex: number, things: readonly ShownThing[]])[];
  readonly #source: SourceDetailReader;
  readonly #unpainted = new Map<number, readonly ShownThing[]>();
  #framesRead = 0;

  /** @param shown what the source shows in each frame, in ascending order of frames */
  constructor(shown: ReadonlyMap<number, readonly ShownThing[]>, source: SourceDetailReader) {
    this.#frames = [...shown];
    this.#source = source;
  }

  /** Reads the next frame of the output. @throws StoredDataError if what the analysis stored cannot be read */
  async read(jpeg: Uint8Array): Promise<void> {
    const [frameIndex = 0, things = []] = this.#frames[this.#framesRead++] ?? [];
    const before = await this.#source.at(frameIndex);
    const painted = things.filter(isCompared);
    if (before.length === 0 || painted.length === 0) return;
    const after = await detailsIn(jpeg, before);
    const bare = before.filter(({ detail }, index) => isSameDetail(detail, after[index] ?? []));
    this.#unpainted.set(
      frameIndex,
      painted.filter((thing) => bare.some((other) => isSamePlace(thing, other))),
    );
  }

  /** The things in a frame that look as they do in the source, although a mask should cover them. */
  at(frameIndex: number): readonly ShownThing[] {
    return this.#unpainted.get(frameIndex) ?? [];
  }
}

/** Faint detections count only where a track of their category is hidden. Elsewhere, another object's mask covers them. */
function isCompared(thing: ShownThing): boolean {
  return thing.isPainted && (thing.isTracked || isSure(thing));
}

/** Both boxes are copies of the same stored one. */
function isSamePlace(thing: ShownThing, { category, box }: SourceDetail): boolean {
  return thing.category === category && thing.box.every((value, index) => value === box[index]);
}
