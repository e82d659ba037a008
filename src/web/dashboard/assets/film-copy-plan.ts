import type { Box } from "./editor-geometry.ts";

/** What a browser plays: a container with its codecs, and how ffmpeg encodes it fastest. */
export interface CopyFormat {
  readonly file: string;
  readonly type: string;
  /** The type that a browser is asked for. */
  readonly asked: string;
  readonly video: readonly string[];
  readonly sound: readonly string[];
}

/** In pixels. A wider copy takes longer, and positions of masks are shares of the picture. */
const MOST_WIDTH = 640;
/** A larger original may not fit into the memory that a browser has for files. */
const MOST_BYTES = 1_000_000_000;
/** The copy is kept in memory while it is made, and a longer film would take longer than people wait. */
const MOST_SECONDS = 20 * 60;

/** Times are rounded to a 90,000th of a second. Keyframes are near to each other, so that seeking is fast. */
const H264: CopyFormat = {
  file: "copy.mp4",
  type: "video/mp4",
  asked: 'video/mp4; codecs="avc1.42c01e, mp4a.40.2"',
  video:
    "-c:v libx264 -preset ultrafast -crf 28 -g 30 -enc_time_base 1:90000 -video_track_timescale 90000".split(
      " ",
    ),
  sound: "-c:a aac -b:a 96k -ac 2".split(" "),
};

/** WebM rounds times to a thousandth of a second. The engine runs out of its stack while it encodes Opus. */
const VP8: CopyFormat = {
  file: "copy.webm",
  type: "video/webm",
  asked: 'video/webm; codecs="vp8, vorbis"',
  video: "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 2M -g 30 -enc_time_base 1:1000".split(" "),
  sound: "-c:a libvorbis -q:a 2 -ac 2".split(" "),
};

const UNCHANGED_TIMES = ["-fps_mode", "passthrough"];
const NOTHING_ELSE = ["-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1"];

/**
 * The format of a copy: H.264, which is encoded fastest, or VP8 for browsers without it.
 *
 * @param canPlay what `HTMLMediaElement.canPlayType` answers to a type
 */
export function copyFormat(canPlay: (type: string) => string): CopyFormat {
  return canPlay(H264.asked) === "" ? VP8 : H264;
}

/**
 * The arguments that make a copy of the file `input`. Every frame keeps its time from the first frame on, and its shape. Metadata is
 * left out.
 *
 * @param part the area that the container shows, in shares of the whole picture
 */
export function copyArguments(
  input: string,
  { format, part, hasSound }: { readonly format: CopyFormat; readonly part: Box; readonly hasSound: boolean },
): string[] {
  const filters = [
    ...(part.width < 1 || part.height < 1
      ? [`crop=iw*${part.width}:ih*${part.height}:iw*${part.x}:ih*${part.y}`]
      : []),
    `scale=w=2*trunc(min(${MOST_WIDTH}\\,iw)/2):h=-2:flags=bilinear`,
    "format=yuv420p",
  ];
  const sound = hasSound ? ["-map", "0:a:0?", ...format.sound] : [];
  const streams = ["-map", "0:v:0", "-vf", filters.join(","), ...format.video, ...sound];
  return ["-i", input, ...streams, ...UNCHANGED_TIMES, ...NOTHING_ELSE, format.file];
}

/** A sentence that says why no copy of an original is made, if it is too large or too long. */
export function tooMuch({
  fileBytes,
  durationSeconds,
}: {
  readonly fileBytes: number;
  readonly durationSeconds: number;
}): string | undefined {
  if (fileBytes > MOST_BYTES)
    return "It has more than 1 GB, which is too much to make it playable on this device.";
  if (durationSeconds > MOST_SECONDS)
    return "It is longer than 20 minutes, which is too long to make it playable on this device.";
  return undefined;
}
