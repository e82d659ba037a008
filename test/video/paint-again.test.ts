import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { detectionsSchema } from "../../src/records/media-api/detections.schemas.ts";
import { detectionsStream } from "../../src/records/media-api/detections-stream.ts";
import { describeDetections } from "../../src/records/media-api/detections.service.ts";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { describeVerification } from "../../src/records/verification/verification.service.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { randomFrom } from "./compose/random.ts";
import { killsAtRandom } from "./support/random-kills.ts";
import { answerWhatIsSeen, linked, loseMasks, newVideo } from "./support/seen-code.ts";
import {
  KEPT_VERIFIED_WORK,
  inspectVideo,
  runToEnd,
  settle,
  type QueuedVideo,
} from "./support/video-jobs.ts";

beginQuietly();

const database = openDatabase(env.DB, "primary");

async function detectionsOf(video: QueuedVideo) {
  const stream = detectionsStream(env.MEDIA, video, await describeDetections(database, video));
  return detectionsSchema.parse(await new Response(stream).json()).detections;
}

test("what the first reading missed is painted, listed as the detector's, and hidden in revisions too", async () => {
  const asked = answerWhatIsSeen();
  const video = await newVideo();
  asked.isBlind = true;
  await linked(video, quietBindings());
  asked.isBlind = false;
  const sampled = asked.frames;
  await runToEnd(video);
  expect(await describeVerification(database, video)).toMatchObject({ status: "passed", findings: [] });
  // All frames were bare in both readings of the first output, and none in the last.
  expect([asked.frames, asked.bareFrames]).toEqual([3 * sampled, 2 * sampled]);
  expect(await detectionsOf(video)).toMatchObject([
    { category: "qr_codes", origin: "detector", redacted: true, start_seconds: 0 },
  ]);
  const revision = await revise(video, {});
  await runToEnd(revision);
  expect(await detectionsOf(revision)).toMatchObject([{ origin: "detector", redacted: true }]);
  expect([asked.frames, asked.bareFrames]).toEqual([4 * sampled, 2 * sampled]);
});

test("a worker killed at random while a video is painted again, ten times: the output is the same, and nothing is left over", async () => {
  answerWhatIsSeen();
  const calm = await newVideo();
  await linked(calm, quietBindings());
  await loseMasks(calm);
  await runToEnd(calm);
  const random = randomFrom(35);
  const kills = { made: 0, most: 10 };
  while (kills.made < kills.most) {
    const video = await newVideo();
    await linked(video, quietBindings());
    await loseMasks(video);
    await runToEnd(video, { around: killsAtRandom(kills, random), isDoubled: true });
    await settle();
    expect(await describeVerification(database, video)).toMatchObject({ status: "passed", findings: [] });
    expect(await inspectVideo(video)).toMatchObject({
      status: "completed",
      events: ["media.processed"],
      tasks: 0,
      objects: ["detections.00000", "output", "source", "thumbnail"],
      work: KEPT_VERIFIED_WORK,
    });
    const [output, other] = await Promise.all([video, calm].map((one) => env.MEDIA.get(outputKey(one))));
    expect(await output?.arrayBuffer()).toEqual(await other?.arrayBuffer());
  }
});
