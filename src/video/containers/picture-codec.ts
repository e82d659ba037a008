import type { InputVideoTrack, VideoCodec } from "mediabunny";

/** How pictures are coded: what mediabunny names, and what AVI holds besides. */
export type PictureCodec = VideoCodec | "mjpeg" | "mpeg4";

const SAMPLE_ENTRIES: Readonly<Record<string, PictureCodec>> = { jpeg: "mjpeg", mp4v: "mpeg4" };

/** The codec of a track's pictures; null for others. */
export async function pictureCodecOf(track: InputVideoTrack): Promise<PictureCodec | null> {
  const codec = await track.getCodec();
  return codec ?? SAMPLE_ENTRIES[String(await track.getInternalCodecId())] ?? null;
}
