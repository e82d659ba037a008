import sharp from "sharp";
import { ffmpeg } from "../../test/node-support/ffmpeg.ts";
import { drawStreetScene } from "../../scripts/lib/street-scene.ts";

const FRAMES_PER_SECOND = 30;
/** Pixels between two values of each octave of texture. */
const OCTAVES = [2, 4, 8, 16, 32, 64];

/** A camera that sways over the street, as a hand holds it; sides of the view that is left are given. */
function view(width: number, height: number): string {
  const across = `(in_w-${width})*(0.5+0.42*sin(t*0.9)+0.01*sin(t*11))`;
  const down = `(in_h-${height})*(0.5+0.30*sin(t*0.7)+0.02*sin(t*13))`;
  return `crop=${width}:${height}:x='${across}':y='${down}'`;
}

/**
 * An MP4 of a street with a tone, at 30 frames a second unless said otherwise: heads, number plates and codes that a swaying camera sees, with a
 * camera's grain, so that its bits a pixel are those of a phone's videos. H.264 with B-frames, a key frame every two seconds.
 */
export async function filmStreet(options: {
  width: number;
  height: number;
  seconds: number;
  framesPerSecond?: number;
  /** Quality by which x264 encodes (its constant rate factor), and how strong the grain is, in levels. */
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

/** The street of the README, with texture of every size, as photographs have: each octave as strong as the next finer one. */
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

/** The street is as much larger than the view as a full one is than 720 lines. */
function scaled(width: number, height: number): { width: number; height: number } {
  return { width: 2 * Math.round((width * 5) / 8), height: 2 * Math.round((height * 5) / 8) };
}

/** An MP4 played so many times in a row, its packets copied. */
export async function repeated(clip: Uint8Array, times: number): Promise<Uint8Array<ArrayBuffer>> {
  const args = `-stream_loop ${times - 1} -i clip.mp4 -map 0 -c copy -movflags +faststart`;
  return (await ffmpeg({ "clip.mp4": clip }, args.split(" "), "repeated.mp4")).bytes;
}
