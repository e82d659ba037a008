import type { Format, Recipe } from "./format.ts";
import { OPUS, PRIVATE, VORBIS, AAC, WITH_TONE, picture, tone } from "./ingredients.ts";

function av1(
  [container, output]: readonly [Format["container"], Format["output"]],
  property: string,
  { video = "AV1", audio, ...recipe }: Recipe & { video?: string; audio: string },
  expected?: Format["expected"],
): Format {
  return { container, output, video, audio, property, recipe, expected, isForInstalled: true };
}

/** AV1 always declares its range. H.264 has limited range unless it declares another. */
function withoutRange(size: string): Format["expected"] {
  return { picture: `${size} SAR 1:1 progressive ` };
}

/** Sharp enough that unchanged and changed areas can be distinguished. */
const AOM_ANY = "-c:v libaom-av1 -cpu-used 8 -crf 12 -row-mt 0 -threads 1 -pix_fmt";
const AOM = `${AOM_ANY} yuv420p`;
const AOM_10 = `${AOM_ANY} yuv420p10le`;
const SVT = "-c:v libsvtav1 -preset 10 -crf 16 -pix_fmt yuv420p";
const SECONDS = 1.2;
const LONGER = `${picture("160x96", SECONDS)} ${tone(SECONDS)}`;

/** AV1 files, and others that only an installed ffmpeg can create or decode. */
export const AV1S: readonly Format[] = [
  av1(["WebM", undefined], "10 bits", {
    video: "VP9 profile 2",
    audio: "Opus",
    args: `${picture()} ${tone()} -c:v libvpx-vp9 -lossless 1 -pix_fmt yuv420p10le ${OPUS}`,
  }),
  av1(
    ["MP4", undefined],
    "hidden frames, two groups of pictures",
    {
      audio: "AAC",
      args: `${LONGER} ${AOM} -lag-in-frames 19 -auto-alt-ref 1 -g 15 ${AAC} ${PRIVATE}`,
    },
    withoutRange("160x96"),
  ),
  av1(["MP4", undefined], "another encoder, BT.709", {
    audio: "Opus",
    args: `${LONGER} -vf scale=out_color_matrix=bt709 ${SVT} -g 15 -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv ${OPUS}`,
  }),
  av1(
    ["MP4", undefined],
    "10 bits, fragmented",
    {
      video: "AV1 10 bits",
      audio: "–",
      args: `${picture("160x96")} ${AOM_10} -movflags frag_keyframe+empty_moov -an`,
    },
    withoutRange("160x96"),
  ),
  av1(
    ["MP4", undefined],
    "film grain",
    { audio: "–", args: `${picture("160x96")} ${AOM} -denoise-noise-level 10 -an` },
    withoutRange("160x96"),
  ),
  av1(["WebM", undefined], "hidden frames, two groups of pictures", {
    audio: "Opus",
    args: `${LONGER} ${AOM} -lag-in-frames 19 -auto-alt-ref 1 -g 15 ${OPUS} ${PRIVATE}`,
  }),
  av1(["WebM", undefined], "odd size, 10 bits", {
    video: "AV1 10 bits",
    audio: "Vorbis",
    args: `${picture("161x97")} ${tone()} ${AOM_10} ${VORBIS}`,
  }),
  av1(["Matroska", "WebM"], "its codecs fit into WebM", {
    audio: "Opus",
    args: `${WITH_TONE} ${AOM} ${OPUS}`,
  }),
  av1(
    ["Matroska", "MP4"],
    "AV1 beside AAC",
    { audio: "AAC", args: `${WITH_TONE} ${AOM} ${AAC}` },
    withoutRange("160x120"),
  ),
];
