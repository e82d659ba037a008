import { z } from "zod";
import { StoredDataError } from "../../jobs/stored-data.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import type { StepContext } from "../tasks/step-context.ts";
import { PACKET_INDEX_NAME, PACKETS_NAME, getJson, segmentName, workKey } from "../tasks/video.objects.ts";
import { findFinished } from "../tasks/video-tasks.repository.ts";
import { PieceReader, piecesAt } from "../tasks/pieces.ts";

/** What a rendered segment's packets are: their sizes in order, those that are key frames, and the decoder's configuration. */
export const packetIndexSchema = z.object({
  sizesBytes: z.array(z.int().min(0)),
  keys: z.array(z.int().min(0)),
  description: z.base64().nullable(),
});

type PacketIndex = z.output<typeof packetIndexSchema>;

/** The encoded frames of all segments, one after another. */
export class RenderedPackets {
  readonly sizesBytes: readonly number[];
  /** Frames that are key frames. */
  readonly keys: readonly number[];
  /** The decoder's configuration, the same for all segments. */
  readonly description: Uint8Array | undefined;
  readonly #bucket: R2Bucket;
  readonly #segments: readonly { readonly key: string; readonly frames: number }[];
  #segment = 0;
  #framesRead = 0;
  #reader: PieceReader | undefined;
  #frame = 0;

  private constructor(
    bucket: R2Bucket,
    found: readonly { readonly key: string; readonly index: PacketIndex; readonly firstFrame: number }[],
  ) {
    this.#bucket = bucket;
    this.#segments = found.map(({ key, index }) => ({ key, frames: index.sizesBytes.length }));
    this.sizesBytes = found.flatMap(({ index }) => index.sizesBytes);
    this.keys = found.flatMap(({ index, firstFrame }) => index.keys.map((key) => key + firstFrame));
    const descriptions = new Set(found.map(({ index }) => index.description));
    if (descriptions.size > 1) throw new StoredDataError("Segments were encoded in different ways.");
    const [description = null] = descriptions;
    this.description =
      description === null ? undefined : Uint8Array.from(atob(description), (byte) => byte.charCodeAt(0));
  }

  /** Opens what the render steps stored. */
  static async open({ config, database, row }: StepContext, plan: VideoPlan): Promise<RenderedPackets> {
    const owned = { accountId: row.accountId, mediaId: row.id };
    const takings = await findFinished(database, { mediaId: row.id, kind: "render" });
    const found: { key: string; index: PacketIndex; firstFrame: number }[] = [];
    for (const [segment, { firstFrame, frames }] of plan.segments.entries()) {
      const name = segmentName("render", segment, takings.get(segment) ?? 0);
      const key = workKey(owned, `${name}/${PACKET_INDEX_NAME}`);
      const index = await getJson(config.MEDIA, key, packetIndexSchema);
      if (index.sizesBytes.length !== frames)
        throw new StoredDataError("A segment has another number of frames.");
      found.push({ key: workKey(owned, `${name}/${PACKETS_NAME}`), index, firstFrame });
    }
    return new RenderedPackets(config.MEDIA, found);
  }

  /** The packets of the first segment, whatever else is read, each in memory of its own. */
  async *firstSegment(): AsyncGenerator<{ isKey: boolean; data: Uint8Array }, void, undefined> {
    const [segment] = this.#segments;
    if (segment === undefined) return;
    const keys = new Set(this.keys);
    const reader = new PieceReader(piecesAt(this.#bucket, segment.key));
    try {
      for (let frame = 0; frame < segment.frames; frame++) {
        const data = await reader.read(this.sizesBytes[frame] ?? 0);
        yield { isKey: keys.has(frame), data: data.slice() };
      }
    } finally {
      reader.close();
    }
  }

  /** The next packet, valid until the next call. */
  async next(): Promise<Uint8Array> {
    if (this.#reader === undefined || this.#framesRead === this.#segments[this.#segment]?.frames) {
      if (this.#reader !== undefined) this.#segment += 1;
      this.#reader?.close();
      this.#framesRead = 0;
      this.#reader = new PieceReader(piecesAt(this.#bucket, this.#segments[this.#segment]?.key ?? ""));
    }
    this.#framesRead += 1;
    return await this.#reader.read(this.sizesBytes[this.#frame++] ?? 0);
  }
}
