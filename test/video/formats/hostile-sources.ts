import { withoutOpenDml } from "./edit-avi.ts";
import type { Format } from "./format.ts";

const BARS = "-f lavfi -i smptebars=size=160x96";
const X264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p";

function source(
  property: string,
  args: string,
  { container = "MP4", ...recipe }: { container?: Format["container"] } & Omit<Format["recipe"], "args"> = {},
): Format {
  return { container, video: "hostile", audio: "–", property, recipe: { args, ...recipe } };
}

/** Valid files that are refused or barely accepted, and the bases of broken files. */
export const HOSTILE_SOURCES: readonly Format[] = [
  source("MPEG-4 part 2", `${BARS}:duration=0.4 -c:v mpeg4`),
  source("MJPEG", `${BARS}:duration=0.4 -c:v mjpeg -pix_fmt yuvj420p`, { container: "QuickTime" }),
  source("ProRes", `${BARS}:duration=0.4 -c:v prores_ks`, { container: "QuickTime" }),
  source("MPEG-4 part 2 in Matroska", `${BARS}:duration=0.4 -c:v mpeg4`, { container: "Matroska" }),
  source("sound alone", "-f lavfi -i sine=duration=0.4 -c:a aac"),
  source("two videos", `${BARS}:duration=0.4 ${BARS}:duration=0.4 -map 0 -map 1 ${X264}`),
  source("120 frames a second", `${BARS}:rate=120:duration=0.4 ${X264}`),
  source("a frame every ten minutes", `${BARS}:rate=1/600:duration=1800 ${X264}`),
  source("a long row of pixels", `-f lavfi -i smptebars=size=1936x64:duration=0.2 ${X264}`),
  source("one frame", `${BARS}:rate=25:duration=0.04 ${X264}`),
  source(
    "an hour in one group of pictures",
    `${BARS}:rate=1/10:duration=3600 ${X264} -x264-params keyint=infinite:scenecut=0`,
  ),
  source("sizes that change", `-f h264 -r 25 -i pieces -c copy`, {
    pieces: ["160x96", "320x192"].map(
      (size) => `-f lavfi -i testsrc2=size=${size}:rate=25:duration=0.2 ${X264} -f h264`,
    ),
  }),
  source(
    "faststart",
    `-f lavfi -i testsrc2=size=160x96:rate=25:duration=0.4 -f lavfi -i sine=duration=0.4 ${X264} -bf 2 -c:a aac -movflags faststart`,
  ),
  source(
    "fragments",
    `-f lavfi -i testsrc2=size=160x96:rate=25:duration=0.4 ${X264} -g 5 -movflags frag_keyframe+empty_moov+default_base_moof`,
  ),
  source(
    "clusters",
    `-f lavfi -i testsrc2=size=160x96:rate=25:duration=0.4 -f lavfi -i sine=duration=0.4 -c:v libvpx -deadline realtime -cpu-used 8 -b:v 1M -c:a libvorbis`,
    { container: "WebM" },
  ),
  source(
    "matroska",
    `-f lavfi -i testsrc2=size=160x96:rate=25:duration=0.4 -f lavfi -i sine=duration=0.4 ${X264} -bf 2 -c:a aac`,
    { container: "Matroska" },
  ),
  source(
    "avi",
    `-f lavfi -i testsrc2=size=160x96:rate=25:duration=0.4 -f lavfi -i sine=duration=0.4 -c:v mpeg4 -g 5 -c:a pcm_s16le`,
    { container: "AVI" },
  ),
  source(
    "avi, old index",
    `-f lavfi -i testsrc2=size=160x96:rate=25:duration=0.4 -f lavfi -i sine=duration=0.4 -c:v mjpeg -huffman default -pix_fmt yuvj420p -c:a libmp3lame`,
    { container: "AVI", edit: withoutOpenDml },
  ),
  source("B-frames in AVI", `${BARS}:duration=0.4 -c:v mpeg4 -bf 2`, { container: "AVI" }),
  source(
    "DV in AVI",
    `-f lavfi -i smptebars=size=720x576:rate=25:duration=0.08 -pix_fmt yuv420p -c:v dvvideo`,
    { container: "AVI" },
  ),
];
