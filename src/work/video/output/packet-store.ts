import type { z } from "zod";
import type { EncodedSink } from "../engine/frame-splitters.ts";
import type { packetIndexSchema } from "./rendered-packets.ts";
import type { PieceWriter } from "../../../records/video-tasks/pieces.ts";
import { framesMissing } from "../tasks/frames-missing.ts";

/** Stores a segment's packets, and their index. */
export class PacketStore implements EncodedSink {
  readonly #pieces: PieceWriter;
  readonly #mostFrames: number;
  readonly #sizesBytes: number[] = [];
  readonly #keys: number[] = [];
  readonly #order: number[] = [];
  #description: Uint8Array | undefined;

  constructor(pieces: PieceWriter, mostFrames: number) {
    this.#pieces = pieces;
    this.#mostFrames = mostFrames;
  }

  get frames(): number {
    return this.#sizesBytes.length;
  }

  onDescription(description: Uint8Array): void {
    this.#description = description.slice();
  }

  /** @param frame `frameIndex` is its number in the segment; it defaults to the number of packets before it */
  async onFrame({
    isKey,
    data,
    frameIndex = this.frames,
  }: {
    isKey: boolean;
    data: Uint8Array;
    frameIndex?: number;
  }): Promise<void> {
    if (this.frames === this.#mostFrames) throw framesMissing(this.frames + 1, this.#mostFrames);
    if (isKey) this.#keys.push(this.frames);
    this.#order.push(frameIndex);
    this.#sizesBytes.push(data.length);
    await this.#pieces.write(data);
  }

  /** Stores the rest. Returns the index. */
  async finish(): Promise<z.input<typeof packetIndexSchema>> {
    await this.#pieces.finish();
    const sizesBytes = this.#sizesBytes;
    const keys = this.#keys;
    const order = this.#order;
    const description = this.#description;
    return {
      sizesBytes,
      keys,
      ...(order.every((frame, packet) => frame === packet) ? {} : { order }),
      description: description === undefined ? null : btoa(String.fromCharCode(...description)),
    };
  }
}
