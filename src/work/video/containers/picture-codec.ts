import type { InputVideoTrack, VideoCodec } from "mediabunny";

/** A video codec: one that mediabunny names, or one of two that only AVI holds. */
export type PictureCodec = VideoCodec | "mjpeg" | "mpeg4";

const SAMPLE_ENTRIES: Readonly<Record<string, PictureCodec>> = { jpeg: "mjpeg", mp4v: "mpeg4" };

/** The codec of a video track; null if it is unknown. */
export async function pictureCodecOf(track: InputVideoTrack): Promise<PictureCodec | null> {
  const codec = await track.getCodec();
  return codec ?? SAMPLE_ENTRIES[String(await track.getInternalCodecId())] ?? null;
}
