import { z } from "zod";
import { detectionSchema } from "../../../ground/vocabulary/detection.schemas.ts";
import { readStoredJson } from "../../../ground/platform/stored-data.ts";
import { openBytes } from "../../../pixels/redaction/bytes/byte-source.ts";
import { readDetail, type OutlineDetail } from "../../../pixels/redaction/index.ts";
import { outlineOf } from "../../../records/verification/judge-photo.ts";
import type { PieceReader, PieceWriter } from "../../../records/video-tasks/pieces.ts";
import type { FrameDetection, FrameSample } from "../tracks/frame-sample.ts";

const frameSchema = z.object({
  frameIndex: z.int().min(0),
  valuesPerBlock: z.int().min(0),
  things: z.array(
    detectionSchema
      .pick({ category: true, box: true, polygon: true })
      .extend({ blocks: z.int().min(0) })
      .readonly(),
  ),
});

/** The length of a frame's description is stored before it. After the last frame, it is 0. */
const LENGTH_BYTES = 4;
const [LEAST_VALUE, MOST_VALUE] = [-32_768, 32_767];

/** A detection, and the detail of the source at its place. */
export interface SourceDetail {
  readonly category: FrameDetection["category"];
  readonly box: FrameDetection["box"];
  readonly polygon?: FrameDetection["polygon"];
  readonly detail: OutlineDetail;
}

/**
 * Stores the detail of the source at each detection. The second reading compares it with the output, so it does not decode the source
 * again.
 */
export class SourceDetailWriter {
  readonly #pieces: PieceWriter;

  constructor(pieces: PieceWriter) {
    this.#pieces = pieces;
  }

  /** Stores the details of the next analyzed frame. Frames come in ascending order. */
  async write(jpeg: Uint8Array, { frameIndex, detections }: FrameSample): Promise<void> {
    if (detections.length === 0) return;
    const details = await detailsIn(jpeg, detections);
    const blocks = details.flat();
    const valuesPerBlock = blocks[0]?.length ?? 0;
    const things = detections.map(({ category, box, polygon }, index) => {
      return { category, box, polygon, blocks: details[index]?.length ?? 0 };
    });
    await this.#writeText(JSON.stringify({ frameIndex, valuesPerBlock, things }));
    const values = new Int16Array(blocks.length * valuesPerBlock);
    for (const [index, block] of blocks.entries()) values.set(block.map(clamped), index * valuesPerBlock);
    await this.#pieces.write(new Uint8Array(values.buffer));
  }

  /** Marks the end and stores the rest. */
  async finish(): Promise<void> {
    await this.#writeText("");
    await this.#pieces.finish();
  }

  async #writeText(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    await this.#pieces.write(new Uint8Array(Uint32Array.of(bytes.length).buffer));
    await this.#pieces.write(bytes);
  }
}

/** Reads what a {@link SourceDetailWriter} stored, and holds one frame of it. */
export class SourceDetailReader {
  readonly #pieces: PieceReader;
  #frame: { readonly frameIndex: number; readonly details: readonly SourceDetail[] } | undefined;
  #isAtEnd = false;

  constructor(pieces: PieceReader) {
    this.#pieces = pieces;
  }

  /** The details of a frame, none if it has none. Frames are asked for in ascending order. @throws StoredDataError */
  async at(frameIndex: number): Promise<readonly SourceDetail[]> {
    while (!this.#isAtEnd && (this.#frame?.frameIndex ?? -1) < frameIndex) await this.#readFrame();
    return this.#frame?.frameIndex === frameIndex ? this.#frame.details : [];
  }

  async #readFrame(): Promise<void> {
    const length = await this.#readBytes(LENGTH_BYTES);
    const sizeBytes = new DataView(length.buffer).getUint32(0, true);
    if (sizeBytes === 0) {
      this.#isAtEnd = true;
      return;
    }
    const text = new TextDecoder().decode(await this.#readBytes(sizeBytes));
    const { frameIndex, valuesPerBlock, things } = readStoredJson(frameSchema, text);
    const details: SourceDetail[] = [];
    for (const { blocks, ...thing } of things) {
      const values = new Int16Array((await this.#readBytes(2 * blocks * valuesPerBlock)).buffer);
      const blockAt = (index: number): Float32Array =>
        Float32Array.from(values.subarray(index * valuesPerBlock, (index + 1) * valuesPerBlock));
      details.push({ ...thing, detail: Array.from({ length: blocks }, (_none, index) => blockAt(index)) });
    }
    this.#frame = { frameIndex, details };
  }

  /** A copy, because the next read may overwrite what was read before. */
  async #readBytes(sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
    return Uint8Array.from(await this.#pieces.read(sizeBytes));
  }
}

/** The detail of a frame in the outlines of some detections. How many blocks an outline has depends on how many outlines there are. */
export async function detailsIn(
  jpeg: Uint8Array,
  things: readonly Pick<SourceDetail, "category" | "box" | "polygon">[],
): Promise<readonly OutlineDetail[]> {
  return await readDetail({ open: openBytes(jpeg), format: "jpeg" }, things.map(outlineOf));
}

function clamped(value: number): number {
  return Math.min(MOST_VALUE, Math.max(LEAST_VALUE, value));
}
