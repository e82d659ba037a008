import { withoutOpenDml } from "./edit-avi.ts";
import { withTurn } from "./edit-webm.ts";
import type { Expected, Format, Recipe } from "./format.ts";
import {
  SECONDS,
  picture,
  tone,
  X264,
  VP8,
  VP9,
  EXACT,
  AAC,
  VORBIS,
  PRIVATE,
  H264,
  CHAPTERS,
  SUBTITLES,
  WITH_TONE,
  HEVC,
  hevc,
} from "./ingredients.ts";

function matroska(
  output: "MP4" | "WebM",
  property: string,
  { video, audio, ...recipe }: Recipe & { video: string; audio: string },
  expected?: Expected,
): Format {
  return { container: "Matroska", output, video, audio, property, recipe, expected };
}

const TONE_48 = tone(SECONDS, 48_000);

/** Matroska files. The output is WebM if the codecs fit, or else MP4. */
export const MATROSKAS: readonly Format[] = [
  matroska("MP4", "subtitles, an attachment, chapters, tags", {
    video: `${H264} high`,
    audio: "AAC",
    args: `${WITH_TONE} -f ffmetadata -i chapters.txt -i words.srt -map 0 -map 1 -map 3 -map_chapters 2 ${X264} -bf 3 -x264-params b-pyramid=normal ${AAC} -c:s srt ${PRIVATE} -attach chapters.txt -metadata:s:t mimetype=text/plain`,
    texts: { "chapters.txt": CHAPTERS, "words.srt": SUBTITLES },
  }),
  matroska("MP4", "variable frame rate", {
    video: H264,
    audio: "MP3",
    args: `${picture()} ${tone()} -vf settb=1/1000,setpts=1000*(N*0.03+0.01*sin(N*N)+0.2*gt(N\\,5)) -fps_mode vfr -enc_time_base 1/1000 ${X264} -bf 2 -c:a libmp3lame ${EXACT}`,
  }),
  matroska("MP4", "four sound tracks of two languages", {
    video: H264,
    audio: "AC-3, FLAC, PCM s16le, Opus",
    args: `${WITH_TONE} ${TONE_48} -map 0 -map 2 -map 1 -map 1 -map 2 ${X264} -c:a:0 ac3 -c:a:1 flac -c:a:2 pcm_s16le -c:a:3 libopus ${EXACT} -metadata:s:a:0 language=deu -metadata:s:a:1 language=fra`,
  }),
  matroska(
    "MP4",
    "sound that an MP4 cannot hold is left out",
    { video: H264, audio: "WavPack", args: `${WITH_TONE} ${X264} -c:a wavpack ${EXACT}` },
    { soundTracks: 0 },
  ),
  matroska("MP4", "turned by 90°, non-square pixels, BT.709", {
    video: H264,
    audio: "–",
    args: `${picture()} -vf scale=out_color_matrix=bt709,format=yuv420p,setsar=16/11 ${X264} -bf 2 -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv -an`,
    edit: (file) => withTurn(file, -90),
  }),
  matroska("MP4", "first timestamp not 0, no cues, clusters without size", {
    video: H264,
    audio: "AAC",
    args: `${WITH_TONE} ${X264} -bf 2 ${AAC} -live 1 -output_ts_offset 3.5`,
  }),
  matroska(
    "MP4",
    "every frame a key frame",
    {
      video: "H.265 main",
      audio: "AAC",
      ...hevc(8),
      args: `${HEVC} ${tone()} -map 0 -map 1 -c:v copy ${AAC} ${PRIVATE}`,
    },
    { picture: "160x96 SAR 1:1 progressive " },
  ),
  matroska(
    "MP4",
    "VP9 beside AAC",
    { video: "VP9", audio: "AAC", args: `${WITH_TONE} ${VP9} ${AAC}` },
    { picture: "160x120 SAR 1:1 progressive " },
  ),
  matroska("WebM", "tags and chapters", {
    video: "VP8",
    audio: "Vorbis",
    args: `${WITH_TONE} -f ffmetadata -i chapters.txt -map 0 -map 1 -map_chapters 2 ${VP8} ${VORBIS} ${PRIVATE}`,
    texts: { "chapters.txt": CHAPTERS },
  }),
  matroska("WebM", "two sound tracks, first timestamp not 0", {
    video: "VP9",
    audio: "Opus, Vorbis",
    args: `${picture()} ${TONE_48} ${tone()} -map 0 -map 1 -map 2 ${VP9} -c:a:0 libopus -c:a:1 libvorbis ${EXACT} -metadata:s:a:0 language=deu -metadata:s:a:1 language=fra -output_ts_offset 3.5`,
  }),
];

function avi(
  property: string,
  { video, audio, ...recipe }: Recipe & { video: string; audio: string },
  expected?: Expected,
): Format {
  return { container: "AVI", output: "MP4", video, audio, property, recipe, expected };
}

const MJPEG = "-c:v mjpeg -huffman default -q:v 2";
const MPEG4 = "-c:v mpeg4 -q:v 2 -g 8";

/** MPEG-4 part 2 does not declare that its frames are progressive. */
const MPEG4_PICTURE: Expected = { picture: "160x120 SAR 1:1 progressive " };

/** AVI files, whose output is MP4. */
export const AVIS: readonly Format[] = [
  avi(
    "OpenDML index",
    {
      video: "MJPEG",
      audio: "PCM s16le",
      args: `${WITH_TONE} ${MJPEG} -pix_fmt yuvj420p -c:a pcm_s16le ${PRIVATE}`,
    },
    { picture: "160x120 SAR 1:1 pc, bt470bg/unknown/unknown, progressive " },
  ),
  avi(
    "old index alone, three sound tracks, one that an MP4 has no place for",
    {
      video: "MPEG-4 part 2",
      audio: "MP3, PCM s24le, µ-law",
      args: `${WITH_TONE} ${tone(SECONDS, 8000)} -map 0 -map 1 -map 1 -map 2 ${MPEG4} -vtag XVID -c:a:0 libmp3lame -c:a:1 pcm_s24le -c:a:2 pcm_mulaw ${EXACT}`,
      edit: withoutOpenDml,
    },
    { ...MPEG4_PICTURE, soundTracks: 2 },
  ),
  avi("frames that are left out", {
    video: H264,
    audio: "AAC",
    args: `${WITH_TONE} -vf select=not(eq(n\\,3)+eq(n\\,4)) -fps_mode passthrough ${X264} -bf 0 ${AAC}`,
  }),
];

/** All tested formats. */
