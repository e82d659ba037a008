import { env } from "cloudflare:workers";
import { outputKey } from "../../../src/records/media/media.objects.ts";
import { openDatabase } from "../../../src/ground/platform/database.ts";
import { detectionsSchema } from "../../../src/records/media-api/detections.schemas.ts";
import { describeDetections } from "../../../src/records/media-api/detections.service.ts";
import { detectionsStream } from "../../../src/records/media-api/detections-stream.ts";
import type { QueuedVideo } from "./video-jobs.ts";

/** The size and the number of frames of the clips. */
const [WIDTH, HEIGHT] = [160, 96];
export const FRAMES = 90;
const FRAMES_PER_SECOND = 15;
/** A hidden pixel differs by at least this many levels. Encoding changes less. */
const HIDDEN_LEVELS = 24;

const outside = globalThis.fetch.bind(globalThis);

/** The service's answer about a video, read as a stream. */
export async function detectionsOf(video: QueuedVideo) {
  const answer = await describeDetections(openDatabase(env.DB, "primary"), video);
  const stream = detectionsStream(env.MEDIA, video, answer);
  return detectionsSchema.parse(await new Response(stream).json());
}

/** The brightness of every frame of a video. */
export async function lumaOf(video: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const response = await outside("http://formats.test/frames", { method: "POST", body: video });
  if (!response.ok) throw new Error(await response.text());
  return new Uint8Array(await response.arrayBuffer());
}

/** The brightness of every frame of a completed video's output. */
export async function outputLuma(video: QueuedVideo): Promise<Uint8Array> {
  const output = await env.MEDIA.get(outputKey(video));
  if (output === null) throw new Error("There is no output.");
  return await lumaOf(new Uint8Array(await output.arrayBuffer()));
}

type Box = readonly [left: number, top: number, width: number, height: number];

/** The share of a box's pixels in one frame that differ from another video's. */
export function changedShare(
  { before, after }: { readonly before: Uint8Array; readonly after: Uint8Array },
  frame: number,
  [left, top, width, height]: Box,
): number {
  let [all, changed] = [0, 0];
  for (let y = Math.ceil(top * HEIGHT); y < Math.floor((top + height) * HEIGHT); y++) {
    for (let x = Math.ceil(left * WIDTH); x < Math.floor((left + width) * WIDTH); x++) {
      const at = frame * WIDTH * HEIGHT + y * WIDTH + x;
      all += 1;
      if (Math.abs((before[at] ?? 0) - (after[at] ?? 0)) >= HIDDEN_LEVELS) changed += 1;
    }
  }
  return changed / all;
}

/** A box that moves at constant speed from one place to another during a clip. */
export function movingBox(from: Box, to: Box): { keyframes: object[]; boxAt(frame: number): Box } {
  const lastSeconds = (FRAMES - 1) / FRAMES_PER_SECOND;
  const keyframe = (seconds: number, [x, y, width, height]: Box): object => ({
    time_seconds: seconds,
    box: { x, y, width, height },
  });
  return {
    keyframes: [keyframe(0, from), keyframe(lastSeconds, to)],
    boxAt(frame) {
      const share = frame / (FRAMES - 1);
      const mix = (side: 0 | 1 | 2 | 3): number => from[side] + (to[side] - from[side]) * share;
      return [mix(0), mix(1), mix(2), mix(3)];
    },
  };
}
