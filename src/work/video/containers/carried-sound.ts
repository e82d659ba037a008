import type { AudioCodec, Input, VideoCodec } from "mediabunny";

const WEBM_PICTURES: ReadonlySet<VideoCodec> = new Set<VideoCodec>(["vp8", "vp9", "av1"]);
const WEBM_SOUND: ReadonlySet<AudioCodec> = new Set<AudioCodec>(["opus", "vorbis"]);
/** The audio codecs of Matroska and AVI that an MP4 can hold. PCM follows ISO/IEC 23003-5. */
const MP4_SOUND: ReadonlySet<AudioCodec> = new Set<AudioCodec>([
  "aac",
  "mp3",
  "opus",
  "vorbis",
  "flac",
  "ac3",
  "eac3",
  "pcm-s16",
  "pcm-s16be",
  "pcm-s24",
  "pcm-s24be",
  "pcm-s32",
  "pcm-s32be",
  "pcm-f32",
  "pcm-f64",
]);

/** Whether an audio track can be copied unchanged into an MP4. */
export function fitsMp4(codec: AudioCodec | null): codec is AudioCodec {
  return codec !== null && MP4_SOUND.has(codec);
}

/** Whether an audio track can be copied unchanged into a WebM. */
export function fitsWebm(codec: AudioCodec | null): boolean {
  return codec !== null && WEBM_SOUND.has(codec);
}

/** The output format of a Matroska file: WebM if its codecs fit unchanged, else MP4. */
export async function matroskaOutput(input: Input): Promise<"webm" | "mp4"> {
  const [video] = await input.getVideoTracks();
  const picture = (await video?.getCodec()) ?? null;
  if (picture === null || !WEBM_PICTURES.has(picture)) return "mp4";
  for (const track of await input.getAudioTracks()) {
    const codec = await track.getCodec();
    if (fitsMp4(codec) && !fitsWebm(codec)) return "mp4";
  }
  return "webm";
}
