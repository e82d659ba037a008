import sharp from "sharp";
import { ffmpeg } from "../../test/node-support/ffmpeg.ts";
import { drawStreetScene } from "../../scripts/lib/street-scene.ts";

const FRAMES_PER_SECOND = 30;
/** For each octave of texture, the distance in pixels between two of its values. */
const OCTAVES = [2, 4, 8, 16, 32, 64];

/** An ffmpeg crop filter that sways over the street like a handheld camera. Takes the size of the resulting view. */
function view(width: number, height: number): string {
  const across = `(in_w-${width})*(0.5+0.42*sin(t*0.9)+0.01*sin(t*11))`;
  const down = `(in_h-${height})*(0.5+0.30*sin(t*0.7)+0.02*sin(t*13))`;
  return `crop=${width}:${height}:x='${across}':y='${down}'`;
}

/**
 * Encodes an MP4 of a street with a tone, at 30 frames a second by default. A swaying camera passes over heads, license plates,
 * and codes. Camera grain gives it as many bits per pixel as a phone's video. The video is H.264 with B-frames and a key frame
 * every two seconds.
 */
export async function filmStreet(options: {
  width: number;
  height: number;
  seconds: number;
  framesPerSecond?: number;
  /** The constant rate factor for x264 (`rateFactor`) and the strength of the grain in levels (`grainLevels`). */
  rateFactor?: number;
  grainLevels?: number;
}): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, seconds, framesPerSecond = FRAMES_PER_SECOND } = options;
  const { rateFactor = 22, grainLevels = 6 } = options;
  const street = await drawPlace(scaled(width, height));
  const { bytes } = await ffmpeg(
    { "street.jpg": street },
    [
      ...`-framerate ${framesPerSecond} -i street.jpg -f lavfi -i sine=duration=${seconds}`.split(" "),
      "-filter_complex",
      `[0:v]format=yuv420p,loop=-1:1,setpts=N/${framesPerSecond}/TB,${view(width, height)},noise=alls=${grainLevels}:allf=t[v]`,
      ...`-map [v] -map 1:a -c:v libx264 -preset veryfast -crf ${rateFactor} -bf 2 -g 60 -c:a aac -b:a 48k`.split(
        " ",
      ),
      ...`-t ${seconds} -movflags +faststart`.split(" "),
    ],
    "street.mp4",
  );
  return bytes;
}

/** Draws the street of the README with texture of every size, as photographs have. Each octave is as strong as the next finer one. */
async function drawPlace(size: { width: number; height: number }): Promise<Buffer> {
  const octaves = await Promise.all(OCTAVES.map(async (step) => await noise(size, step)));
  return await sharp(await drawStreetScene())
    .resize({ ...size, fit: "cover" })
    .composite(octaves.map((input) => ({ input, blend: "soft-light" })))
    .jpeg({ quality: 92 })
    .toBuffer();
}

async function noise({ width, height }: { width: number; height: number }, step: number): Promise<Buffer> {
  const [columns, rows] = [Math.ceil(width / step), Math.ceil(height / step)];
  const grey = { type: "gaussian", mean: 128, sigma: 7 } as const;
  const create = { width: columns, height: rows, channels: 3, background: "#888", noise: grey } as const;
  return await sharp({ create })
    .greyscale()
    .resize({ width, height, kernel: "cubic", fit: "fill" })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/** Returns the size of the street for a view: each side is 1.25 times as long, rounded to an even number. */
function scaled(width: number, height: number): { width: number; height: number } {
  return { width: 2 * Math.round((width * 5) / 8), height: 2 * Math.round((height * 5) / 8) };
}

/** Repeats an MP4 `times` times in a row by copying its packets. */
export async function repeated(clip: Uint8Array, times: number): Promise<Uint8Array<ArrayBuffer>> {
  const args = `-stream_loop ${times - 1} -i clip.mp4 -map 0 -c copy -movflags +faststart`;
  return (await ffmpeg({ "clip.mp4": clip }, args.split(" "), "repeated.mp4")).bytes;
}
