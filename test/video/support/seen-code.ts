import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { workKey } from "../../../src/records/video-tasks/video.objects.ts";
import { createAccount } from "../../support/accounts.ts";
import { BOX, deliver, queuedVideo, type QueuedVideo } from "./video-jobs.ts";

const [WIDTH, HEIGHT] = [160, 96];
/** The brightness inside a code varies by more than this, and that inside a mask by less. */
const LEAST_DEVIATION = 8;

const outside = globalThis.fetch.bind(globalThis);

/** What a detector was asked, and whether it finds nothing for now. */
interface Asked {
  frames: number;
  /** In how many frames the code was visible. */
  bareFrames: number;
  isBlind: boolean;
}

/** Replaces the detector with one that finds a code only if the frame shows detail at its place. */
export function answerWhatIsSeen(): Asked {
  const asked: Asked = { frames: 0, bareFrames: 0, isBlind: false };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_input, init) => {
    const body = await new Response(init?.body, { headers: init?.headers ?? {} }).formData();
    const pictures = body.getAll("frames") as unknown as Blob[];
    const luma = await outside("http://formats.test/frames", { method: "POST", body: new Blob(pictures) });
    const bytes = new Uint8Array(await luma.arrayBuffer());
    expect(bytes.length).toBe(pictures.length * WIDTH * HEIGHT);
    const frames = pictures.map((_picture, index) => {
      const isCodeSeen = isBare(bytes.subarray(index * WIDTH * HEIGHT, (index + 1) * WIDTH * HEIGHT));
      asked.frames += 1;
      if (isCodeSeen) asked.bareFrames += 1;
      return { width: WIDTH, height: HEIGHT, detections: isCodeSeen && !asked.isBlind ? [BOX] : [] };
    });
    return Response.json({ frames, models: [] });
  });
  return asked;
}

/** Whether the place of the code shows any detail. */
function isBare(luma: Uint8Array): boolean {
  const [left, top, width, height] = BOX.box as [number, number, number, number];
  const values: number[] = [];
  for (let y = Math.ceil((top + 0.1) * HEIGHT); y < (top + height - 0.1) * HEIGHT; y++) {
    for (let x = Math.ceil((left + 0.08) * WIDTH); x < (left + width - 0.08) * WIDTH; x++)
      values.push(luma[y * WIDTH + x] ?? 0);
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return Math.sqrt(squares) > LEAST_DEVIATION;
}

/** A queued video whose output is read again. */
export async function newVideo(options: Parameters<typeof queuedVideo>[1] = {}): Promise<QueuedVideo> {
  const { accountId } = await createAccount();
  const { options: chosen, ...rest } = options;
  return await queuedVideo(accountId, { ...rest, options: { isVerified: true, ...chosen } });
}

/** Plans and analyzes a clip of two segments and links its detections. */
export async function linked(video: QueuedVideo, bindings: object): Promise<void> {
  for (let delivery = 0; delivery < 4; delivery++) await deliver(video.mediaId, bindings);
}

/** Removes what linking hides in a segment, by default the last one. */
export async function loseMasks(video: QueuedVideo, segment = 1): Promise<void> {
  const key = workKey(video, `tracks-${segment}.json`);
  const stored = await env.MEDIA.get(key);
  if (stored === null) return;
  await env.MEDIA.put(key, JSON.stringify({ ...(await stored.json<Record<string, unknown>>()), tracks: [] }));
}
