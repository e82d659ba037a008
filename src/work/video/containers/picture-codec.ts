import type { InputVideoTrack, VideoCodec } from "mediabunny";
import { GolombReader } from "./golomb-reader.ts";

/** A video codec: one that mediabunny names, or one of two that only AVI holds. */
export type PictureCodec = VideoCodec | "mjpeg" | "mpeg4";

const SAMPLE_ENTRIES: Readonly<Record<string, PictureCodec>> = { jpeg: "mjpeg", mp4v: "mpeg4" };

/** The codec of a video track; null if it is unknown. */
export async function pictureCodecOf(track: InputVideoTrack): Promise<PictureCodec | null> {
  const codec = await track.getCodec();
  return codec ?? SAMPLE_ENTRIES[String(await track.getInternalCodecId())] ?? null;
}

const VOP = 0xb6;
const BIDIRECTIONAL_VOP = 2;
const NAL_SLICE = 1;

/**
 * Whether a packet holds a picture that is shown before one that is stored earlier. A container without timestamps, such as
 * AVI, cannot store when such pictures are shown.
 */
export function isReordered(codec: PictureCodec, packet: Uint8Array): boolean {
  if (codec !== "mpeg4" && codec !== "avc") return false;
  for (let at = 0; at + 4 < packet.length; at++) {
    if (packet[at] !== 0 || packet[at + 1] !== 0 || packet[at + 2] !== 1) continue;
    const kind = packet[at + 3] ?? 0;
    const isFound =
      codec === "mpeg4"
        ? kind === VOP && (packet[at + 4] ?? 0) >> 6 === BIDIRECTIONAL_VOP
        : (kind & 0x1f) === NAL_SLICE && isBidirectionalSlice(packet.subarray(at + 4, at + 20));
    if (isFound) return true;
  }
  return false;
}

/** Whether a slice header declares a B slice: its second field (ITU-T H.264 §7.3.3) is 1 or 6. */
function isBidirectionalSlice(header: Uint8Array): boolean {
  const reader = new GolombReader(header);
  reader.unsigned();
  return reader.unsigned() % 5 === 1;
}
