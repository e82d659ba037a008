import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { findBox } from "../../src/work/video/containers/boxes.ts";
import { ffmpegEngine } from "../../src/work/video/engine/ffmpeg-engine.ts";
import { createAccount } from "../support/accounts.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { answerFrames, clipOf, inspectVideo, queuedVideo, runToEnd } from "./support/video-jobs.ts";

/** The mean difference in levels between a frame and itself after a different entropy coding. */
const SAME_FRAME_LEVELS = 1;
const FRAME_BYTES = 160 * 96;

beginQuietly();

/** The output of a clip, its sample entry, and the luma of all decoded frames. */
async function redactedClip(source: Uint8Array<ArrayBuffer>) {
  answerFrames();
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId, { source });
  await runToEnd(video);
  expect(await inspectVideo(video)).toMatchObject({ status: "completed", failureCode: null });
  const stored = await env.MEDIA.get(outputKey(video));
  const output = new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer(0));
  vi.restoreAllMocks();
  const answer = await fetch("http://formats.test/frames", { method: "POST", body: output });
  expect(answer.status).toBe(200);
  const stsd = findBox(output, "moov", "trak", "mdia", "minf", "stbl", "stsd");
  const entry = String.fromCharCode(...(stsd?.content.subarray(12, 16) ?? []));
  return { entry, luma: new Uint8Array(await answer.arrayBuffer()) };
}

/** Turns on arithmetic coding in every second segment, which changes the picture parameter set (ITU-T H.264, 7.3.2.2). */
function encodeInTwoWays(): void {
  const run = ffmpegEngine.run.bind(ffmpegEngine);
  let rendered = 0;
  vi.spyOn(ffmpegEngine, "run").mockImplementation(async (order) => {
    const { command } = order;
    if (command.kind !== "render" || command.h264 === null) return await run(order);
    const h264 = { ...command.h264, isArithmetic: rendered++ % 2 === 1 };
    return await run({ ...order, command: { ...command, h264 } });
  });
}

test("segments of one frame, in the middle and at the end, are encoded as all others are", async () => {
  const { entry, luma } = await redactedClip(clipOf("lonelyFrames"));
  expect(entry).toBe("avc1");
  expect(luma.length / FRAME_BYTES).toBe(31);
});

test("segments whose parameter sets differ are played as if they did not", async () => {
  const usual = await redactedClip(clipOf("twoSegments"));
  encodeInTwoWays();
  const mixed = await redactedClip(clipOf("twoSegments"));
  expect([usual.entry, mixed.entry]).toEqual(["avc1", "avc3"]);
  expect(mixed.luma.length).toBe(usual.luma.length);
  for (let start = 0; start < usual.luma.length; start += FRAME_BYTES) {
    let difference = 0;
    for (let at = start; at < start + FRAME_BYTES; at++)
      difference += Math.abs((usual.luma[at] ?? 0) - (mixed.luma[at] ?? 0));
    expect(difference / FRAME_BYTES).toBeLessThan(SAME_FRAME_LEVELS);
  }
});
