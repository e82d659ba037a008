import type { TestProject } from "vitest/node";
import { ffmpeg } from "../node-support/ffmpeg.ts";

const H264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 15";

const VP8 = "-c:v libvpx -deadline realtime -cpu-used 8 -g 15";

/** Pauses, so that the frame at 1 s and the last one are alone between key frames four seconds apart. */
const LONELY_FRAMES =
  "-vf trim=end_frame=31,setpts=(N/15+if(gte(N\\,15)\\,4)+if(gte(N\\,16)\\,4)+if(gte(N\\,30)\\,4))/TB -fps_mode vfr";

async function clip(seconds: number, codec: string, filename: string, size = "160x96"): Promise<string> {
  const picture = `testsrc2=size=${size}:rate=15:duration=${seconds}`;
  const args = `-f lavfi -i ${picture} -f lavfi -i sine=duration=${seconds} -shortest ${codec}`;
  const { bytes } = await ffmpeg({}, args.split(" "), filename);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Small clips of moving colors with a tone, created once for all test files, as base64. */
export default async function setUp(project: TestProject): Promise<void> {
  project.provide("clips", {
    twoSegments: await clip(6, `${H264} -c:a aac`, "clip.mp4"),
    startsAtOnce: await clip(6, `${H264} -c:a aac -movflags faststart`, "clip.mp4"),
    fullHd: await clip(1.2, "-c:v libx264 -preset veryfast -refs 4 -bf 3 -an", "clip.mp4", "1920x1080"),
    manyReferences: await clip(
      1.4,
      "-c:v libx264 -preset ultrafast -refs 16 -g 60 -an",
      "clip.mp4",
      "1920x1080",
    ),
    oneFrame: await clip(0.05, `${H264} -an`, "clip.mp4"),
    lonelyFrames: await clip(4, `${LONELY_FRAMES} ${H264} -g 1 -an`, "clip.mp4"),
    wide: await clip(6, `${H264} -an`, "clip.mp4", "1936x96"),
    fromBlack: await clip(2, `-vf drawbox=t=fill:color=black:enable=lt(t\\,1) ${H264} -an`, "clip.mp4"),
    mp3: await clip(6, `${H264} -ac 2 -c:a libmp3lame -b:a 96k`, "clip.mp4"),
    opus: await clip(6, `${VP8} -c:a libopus`, "clip.webm"),
    vorbis: await clip(6, `${VP8} -ac 2 -c:a libvorbis`, "clip.webm"),
    pcm: await clip(6, `${H264} -c:a pcm_s16le`, "clip.mov"),
    ac3: await clip(6, `${H264} -ac 2 -c:a ac3`, "clip.mp4"),
    flac: await clip(6, `${H264} -c:a flac -strict -2`, "clip.mp4"),
    twoTracks: await clip(6, `-map 0:v -map 1:a -map 1:a ${H264} -c:a:0 aac -c:a:1 libmp3lame`, "clip.mp4"),
    oneSlice: await clip(0.2, `${H264} -an -f h264`, "clip.h264"),
    threeSlices: await clip(0.2, `${H264} -slices 3 -an -f h264`, "clip.h264"),
    allBlack: await clip(1, `-vf drawbox=t=fill:color=black -c:v libvpx -an`, "clip.webm"),
  });
}

/** Clips by name. */
export interface Clips {
  readonly twoSegments: string;
  /** With its header before its media. */
  readonly startsAtOnce: string;
  /** 1920×1080 with as many reference frames as level 4 allows. */
  readonly fullHd: string;
  /** 1920×1080 with as many as level 5.1 allows. */
  readonly manyReferences: string;
  readonly oneFrame: string;
  /** Of 31 key frames, two have no other frames near them, so that each is its own segment. */
  readonly lonelyFrames: string;
  /** Two segments that are too wide for a Worker. */
  readonly wide: string;
  /** A second of black, and a second of colors. */
  readonly fromBlack: string;
  readonly allBlack: string;
  /** H.264 without a container, three frames of one slice each. */
  readonly oneSlice: string;
  /** The same with three slices a frame. */
  readonly threeSlices: string;
  /** Clips of six seconds with a tone, by the codec of their sound. */
  readonly mp3: string;
  readonly opus: string;
  readonly vorbis: string;
  readonly pcm: string;
  readonly ac3: string;
  readonly flac: string;
  /** AAC, and MP3. */
  readonly twoTracks: string;
}

declare module "vitest" {
  interface ProvidedContext {
    clips: Clips;
  }
}
