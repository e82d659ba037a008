import type { InputVideoTrack } from "mediabunny";
import type { PictureCodec } from "./picture-codec.ts";
import { packetsOf, reading, tickOf } from "./track-packets.ts";

interface TimedPacket {
  readonly tick: number;
  readonly isKey: boolean;
}

/**
 * Drops the pictures at a video's beginning whose references were removed by a cut. They follow the first key frame in the file
 * but are shown before it (leading pictures, ITU-T H.265 §3.79). Nothing can decode them, so every player drops them.
 */
export async function withoutLostPictures<Packet extends TimedPacket>(
  packets: Packet[],
  { track, codec, ticksPerSecond }: { track: InputVideoTrack; codec: PictureCodec; ticksPerSecond: number },
): Promise<Packet[]> {
  const firstTick = packets[0]?.tick ?? 0;
  const isLeading = ({ tick }: TimedPacket): boolean => tick < firstTick;
  const lastLeading = packets.findLastIndex(isLeading);
  if (packets[0]?.isKey !== true || lastLeading < 0) return packets;
  // In H.264, no picture that follows an IDR picture is shown before it. This key frame is therefore no IDR picture, and its
  // leading pictures may refer to removed pictures.
  if (codec === "avc") return packets.filter((packet) => !isLeading(packet));
  if (codec !== "hevc") return packets;
  const lengthBytes = await nalLengthBytes(track);
  const lost = new Set<number>();
  let at = 0;
  for await (const packet of packetsOf(track)) {
    const tick = tickOf(packet, ticksPerSecond);
    if (tick < firstTick && isSkippedLeading(packet.data, lengthBytes)) lost.add(tick);
    if (at++ === lastLeading) break;
  }
  return packets.filter(({ tick }) => !lost.has(tick));
}

const HEVC_LENGTH_AT = 21;

/** How many bytes hold a NAL unit's length (ISO/IEC 14496-15 §8.3.3.1.2). */
async function nalLengthBytes(track: InputVideoTrack): Promise<number> {
  const config = await reading(
    async () => (await track.getDecoderConfig()) as { description?: Uint8Array } | null,
  );
  const record = config?.description;
  return record === undefined ? 4 : ((record[HEVC_LENGTH_AT] ?? 3) & 3) + 1;
}

/**
 * The last NAL unit type of slices, and the types that decoders skip after the key frame where decoding begins (ITU-T H.265
 * table 7-1).
 */
const LAST_SLICE_TYPE = 31;
const SKIPPED_LEADING = new Set([8, 9]);

function isSkippedLeading(packet: Uint8Array, lengthBytes: number): boolean {
  for (let at = 0; at + lengthBytes < packet.length;) {
    const sizeBytes = packet.subarray(at, at + lengthBytes).reduce((size, byte) => size * 256 + byte, 0);
    const type = ((packet[at + lengthBytes] ?? 0) >> 1) & 0x3f;
    if (type <= LAST_SLICE_TYPE) return SKIPPED_LEADING.has(type);
    at += lengthBytes + sizeBytes;
  }
  return false;
}
