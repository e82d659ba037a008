import type { Recipe } from "./format.ts";
import { writeHevc, type RawVideo } from "./hevc-writer.ts";

/** How long a clip is. */
export const SECONDS = 0.4;

/** Moving colors. */
export function picture(size = "160x120", seconds = SECONDS, rate: number | string = 25): string {
  return `-f lavfi -i testsrc2=size=${size}:rate=${rate}:duration=${seconds}`;
}

/** A tone. */
export function tone(seconds = SECONDS, rate = 44_100): string {
  return `-f lavfi -i sine=sample_rate=${rate}:duration=${seconds}`;
}

export const X264 = "-c:v libx264 -preset veryfast -qp 14";
export const VP8 = "-c:v libvpx -deadline realtime -cpu-used 8 -crf 4 -b:v 4M";
/** The core's VP9 encoder crashes without these options. */
export const VP9 = "-c:v libvpx-vp9 -lossless 1 -lag-in-frames 0";
/** No encoder's name in the packets, because packets are copied unchanged. */
export const EXACT = "-flags:a +bitexact";
export const AAC = `-c:a aac ${EXACT}`;
export const OPUS = `-c:a libopus ${EXACT}`;
export const VORBIS = `-c:a libvorbis ${EXACT}`;
export const PRIVATE =
  "-metadata title=SECRET -metadata location=+52.5200+013.4050/SECRET -metadata comment=SECRET -metadata:s:v handler_name=SECRET -metadata:s:a title=SECRET -metadata creation_time=2025-06-01T10:00:00Z";

export const H264 = "H.264";

export const CHAPTERS = `;FFMETADATA1
[CHAPTER]
TIMEBASE=1/1000
START=0
END=200
title=SECRET
[CHAPTER]
TIMEBASE=1/1000
START=200
END=400
title=SECRET
`;

export const SUBTITLES = `1
00:00:00,000 --> 00:00:00,500
SECRET
`;

export const WITH_TONE = `${picture()} ${tone()}`;

/** Moving colors as H.265 with raw samples, in whole blocks of 32 pixels. */
export function hevc(bits: RawVideo["bits"]): Omit<Recipe, "args"> {
  const size = { width: 160, height: 96 };
  const format = bits === 8 ? "yuv420p" : "yuv420p10le";
  return {
    pieces: [`${picture("160x96")} -pix_fmt ${format} -f rawvideo`],
    encode: (raw) => writeHevc(raw, { ...size, bits }),
  };
}
export const HEVC = "-f hevc -r 25 -i pieces";
