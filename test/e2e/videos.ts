import { setImmediate, setTimeout } from "node:timers/promises";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import type { Script } from "../video/compose/clip.ts";
import { composeFrame } from "../video/compose/compose.ts";
import { countReadable } from "../video-node/support/redact-clip.ts";
import { Judge, maskBetween, type Verdict } from "../video/compose/judge.ts";

/** Encoding blocks the process, which must notice closed connections before it uses them. */
const SETTLE_MS = 200;

/** Metadata in the files of `encodeScript` that no output may contain. */
export const VIDEO_TRACES = ["private title", "+52.5200"];

/** Encodes the frames of a script at a constant rate, with a tone. */
export async function encodeScript(
  script: Script,
  framesPerSecond: number,
  codec: readonly string[],
  filename: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const frames = script.timestampsSeconds.map((_, index) => composeFrame(script, index).planes);
  const seconds = frames.length / framesPerSecond;
  const { bytes } = await ffmpeg(
    { "frames.yuv": Buffer.concat(frames) },
    [
      ...rawVideo(script, framesPerSecond),
      "-i",
      "frames.yuv",
      ...`-f lavfi -i sine=duration=${seconds} -metadata location=+52.5200+013.4050/`.split(" "),
      "-metadata",
      "title=a private title",
      ...codec,
    ],
    filename,
  );
  await setTimeout(SETTLE_MS);
  return bytes;
}

function rawVideo({ width, height }: { width: number; height: number }, framesPerSecond: number): string[] {
  return ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", `${width}x${height}`, "-r", String(framesPerSecond)];
}

/** Every stored frame of a video as raw yuv420p, in presentation order. */
export async function decodeVideo(video: Uint8Array, filename: string): Promise<Uint8Array> {
  const { bytes } = await ffmpeg(
    { [filename]: video },
    ["-noautorotate", "-i", filename, "-map", "0:v", "-fps_mode", "passthrough", "-pix_fmt", "yuv420p"],
    "frames.yuv",
  );
  return bytes;
}

/** Packets of each stream as ffmpeg's demuxer sees them, by stream: times in the stream's own ticks, and hashes. */
export async function packetsOf(
  video: Uint8Array,
  filename: string,
): Promise<{ streams: { presentationTicks: number[]; hashes: string[] }[]; log: string }> {
  const { bytes, log } = await ffmpeg(
    { [filename]: video },
    ["-i", filename, "-map", "0", "-c", "copy", "-copyts", "-f", "framemd5"],
    "packets.txt",
  );
  const streams: { presentationTicks: number[]; hashes: string[] }[] = [];
  for (const line of new TextDecoder().decode(bytes).split("\n")) {
    if (!/^\d/.test(line)) continue;
    const [stream = "", , presentation = "", , , hash = ""] = line.split(",").map((field) => field.trim());
    const found = (streams[Number(stream)] ??= { presentationTicks: [], hashes: [] });
    found.presentationTicks.push(Number(presentation));
    found.hashes.push(hash);
  }
  for (const { presentationTicks } of streams) presentationTicks.sort((a, b) => a - b);
  return { streams, log };
}

/** Judges a script's output frame by frame against the source. */
export async function judgeOutput(
  script: Script,
  source: Uint8Array,
  output: Uint8Array,
): Promise<Verdict & { framesDecoded: number; psnrOutside: number }> {
  const { width, height } = script;
  const frameBytes = (width * height * 3) / 2;
  const judge = new Judge(countReadable);
  let squares = 0;
  let pixels = 0;
  for (const index of script.timestampsSeconds.keys()) {
    const before = source.subarray(index * frameBytes, index * frameBytes + width * height);
    const after = output.subarray(index * frameBytes, index * frameBytes + width * height);
    const masked = maskBetween(before, after, width, height);
    await judge.look({ source: composeFrame(script, index), luma: after, masked, width, height });
    // The process must notice closed connections, or the next request uses one.
    await setImmediate();
    const near = nearMask(masked, width, height);
    for (const [at, isMasked] of masked.entries()) {
      if (isMasked === 1 || near[at] === 1) continue;
      squares += ((before[at] ?? 0) - (after[at] ?? 0)) ** 2;
      pixels += 1;
    }
  }
  const psnrOutside = 10 * Math.log10(255 ** 2 / (squares / pixels));
  return { ...judge.verdict, framesDecoded: output.length / frameBytes, psnrOutside };
}

/** Hidden pixels may look unchanged by chance, but never farther than this from a visible change. */
const NEAR_PX = 40;

/** 1 for each pixel near a hidden one. */
function nearMask(masked: Uint8Array, width: number, height: number): Uint8Array {
  const near = new Uint8Array(masked.length);
  for (const [at, isMasked] of masked.entries()) {
    if (isMasked !== 1) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    const [left, right] = [Math.max(0, x - NEAR_PX), Math.min(width, x + NEAR_PX)];
    for (let row = Math.max(0, y - NEAR_PX); row < Math.min(height, y + NEAR_PX); row += 1) {
      near.fill(1, row * width + left, row * width + right);
    }
  }
  return near;
}
