import { z } from "zod";
import { StoredDataError } from "../../../ground/platform/stored-data.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import type { StepContext } from "../tasks/step-context.ts";
import {
  PACKET_INDEX_NAME,
  PACKETS_NAME,
  getJson,
  segmentName,
  workKey,
} from "../../../records/video-tasks/video.objects.ts";
import { findFinished } from "../../../records/video-tasks/video-tasks.repository.ts";
import { PieceReader, piecesAt } from "../../../records/video-tasks/pieces.ts";
import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import type { SegmentPacket } from "../engine/engine-packets.ts";
import { decoderSetup } from "./parameter-sets.ts";

/** The packets of a rendered segment: their sizes in order, the indexes of key frames, and the decoder configuration. */
export const packetIndexSchema = z.object({
  sizesBytes: z.array(z.int().min(0)),
  keys: z.array(z.int().min(0)),
  /** The frame of each packet, counted from the segment's first; absent if packets are in presentation order. */
  order: z.array(z.int().min(0)).optional(),
  description: z.base64().nullable(),
});

type PacketIndex = z.output<typeof packetIndexSchema>;

/** The encoded frames of all segments, one after another. */
export class RenderedPackets {
  readonly sizesBytes: readonly number[];
  /** Indexes of the key frames. */
  readonly keys: readonly number[];
  /** The frame of each packet; undefined if packets are in presentation order. */
  readonly order: readonly number[] | undefined;
  /** The decoder configuration for all segments. VP8 has none. */
  readonly description: Uint8Array | undefined;
  /** Whether parameter sets are within the stream, because the segments' sets differ. */
  readonly hasOwnSets: boolean;
  readonly #bucket: R2Bucket;
  readonly #segments: readonly StoredSegment[];
  #segment = 0;
  #reader: PieceReader | undefined;
  /** Index of the next frame in its segment. */
  #frame = 0;

  private constructor(
    bucket: R2Bucket,
    found: readonly { readonly key: string; readonly index: PacketIndex; readonly firstFrame: number }[],
  ) {
    this.#bucket = bucket;
    const { description, prefixes } = decoderSetup(
      found.map(({ index }) => (index.description === null ? null : bytesOf(index.description))),
    );
    this.description = description;
    this.hasOwnSets = prefixes.some(({ length }) => length > 0);
    this.#segments = found.map(({ key, index }, segment) => ({
      key,
      storedBytes: index.sizesBytes,
      prefix: prefixes[segment] ?? new Uint8Array(0),
    }));
    this.sizesBytes = this.#segments.flatMap(({ storedBytes, prefix }) =>
      storedBytes.map((sizeBytes, frame) => sizeBytes + (frame === 0 ? prefix.length : 0)),
    );
    this.order = found.some(({ index }) => index.order !== undefined)
      ? found.flatMap(({ index: { sizesBytes, order }, firstFrame }) =>
          sizesBytes.map((_size, at) => firstFrame + (order?.[at] ?? at)),
        )
      : undefined;
    this.keys = found.flatMap(({ index, firstFrame }) => index.keys.map((key) => key + firstFrame));
  }

  /** Opens the output of the render steps. */
  static async open({ config, database, row }: StepContext, plan: VideoPlan): Promise<RenderedPackets> {
    const owned = { accountId: row.accountId, mediaId: row.id };
    const attempts = await findFinished(database, { mediaId: row.id, kind: "render" });
    const found: { key: string; index: PacketIndex; firstFrame: number }[] = [];
    for (const [segment, { firstFrame, frames }] of plan.segments.entries()) {
      const name = segmentName("render", segment, attempts.get(segment) ?? 0);
      const key = workKey(owned, `${name}/${PACKET_INDEX_NAME}`);
      const index = await getJson(config.MEDIA, key, packetIndexSchema);
      if (index.sizesBytes.length !== frames)
        throw new StoredDataError("A segment has another number of frames.");
      found.push({ key: workKey(owned, `${name}/${PACKETS_NAME}`), index, firstFrame });
    }
    return new RenderedPackets(config.MEDIA, found);
  }

  /** The packets of the first segment in decode order, independent of `next`. Each has a buffer of its own. */
  async *firstSegment(): AsyncGenerator<SegmentPacket, void, undefined> {
    const [segment] = this.#segments;
    if (segment === undefined) return;
    const keys = new Set(this.keys);
    const reader = new PieceReader(piecesAt(this.#bucket, segment.key));
    try {
      for (let frame = 0; frame < segment.storedBytes.length; frame++) {
        const data = (await readFrame(reader, segment, frame)).slice();
        yield { frameIndex: this.order?.[frame] ?? frame, isKey: keys.has(frame), data };
      }
    } finally {
      reader.close();
    }
  }

  /** The next packet, valid until the next call. */
  async next(): Promise<Uint8Array> {
    let segment = this.#segments[this.#segment];
    if (this.#reader !== undefined && this.#frame === segment?.storedBytes.length) {
      this.#reader.close();
      this.#reader = undefined;
      this.#frame = 0;
      segment = this.#segments[++this.#segment];
    }
    if (segment === undefined) throw new RangeError("There is no further frame.");
    this.#reader ??= new PieceReader(piecesAt(this.#bucket, segment.key));
    return await readFrame(this.#reader, segment, this.#frame++);
  }
}

/** The stored packets of a rendered segment, and the bytes before its first frame. */
interface StoredSegment {
  readonly key: string;
  readonly storedBytes: readonly number[];
  readonly prefix: Uint8Array;
}

async function readFrame(reader: PieceReader, segment: StoredSegment, frame: number): Promise<Uint8Array> {
  const data = await reader.read(segment.storedBytes[frame] ?? 0);
  return frame === 0 && segment.prefix.length > 0 ? concatBytes([segment.prefix, data]) : data;
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
}
