import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { MAX_ATTEMPTS } from "../../src/work/jobs/retry-or-fail.ts";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { createAccount } from "../support/accounts.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { randomFrom } from "./compose/random.ts";
import { decibelsIn } from "./support/loudness.ts";
import { killsAtRandom } from "./support/random-kills.ts";
import { detectionsOf } from "./support/revise-video.ts";
import { clipOf, inspectVideo, queuedVideo, runToEnd, type QueuedVideo } from "./support/video-jobs.ts";

beginQuietly();

const SPEECH = { start_seconds: 2, end_seconds: 3.5 };
/** Pieces begin two seconds before the first packet. */
const LEAD_SECONDS = 2;

/** Replaces the inference service. Returns the seconds of audio of each call. */
function answerSpeech(fault: (call: number) => Response | undefined = () => undefined): number[] {
  const asked: number[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (String(input instanceof Request ? input.url : input).endsWith("/v1/speech")) {
      const body = await new Response(init?.body).arrayBuffer();
      asked.push(body.byteLength / 2 / 16_000);
      const speech = [
        {
          start_seconds: SPEECH.start_seconds + LEAD_SECONDS,
          end_seconds: SPEECH.end_seconds + LEAD_SECONDS,
        },
      ];
      return fault(asked.length) ?? Response.json({ speech, models: [] });
    }
    const body = init?.body instanceof ReadableStream ? await new Response(init.body).text() : "";
    const frames = Array.from({ length: body.split('name="frames"').length - 1 }, () => ({
      width: 160,
      height: 96,
      detections: [],
    }));
    return Response.json({ frames, models: [] });
  });
  return asked;
}

async function newVideo(options: object = { audio: "mute_speech" }): Promise<QueuedVideo> {
  const { accountId } = await createAccount();
  return await queuedVideo(accountId, { source: clipOf("startsAtOnce"), options });
}

async function loudness(video: QueuedVideo): Promise<boolean[]> {
  const output = await env.MEDIA.get(outputKey(video));
  if (output === null) throw new Error("There is no output.");
  const bytes = new Uint8Array(await output.arrayBuffer());
  return await Promise.all(
    [
      [0.5, 1.8],
      [SPEECH.start_seconds, SPEECH.end_seconds],
      [3.7, 5.5],
    ].map(async ([from = 0, to = 0]) => (await decibelsIn(bytes, from, to)) > -60),
  );
}

test("speech is silenced, and nothing else", async () => {
  const asked = answerSpeech();
  const video = await newVideo();
  await runToEnd(video);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toBeCloseTo(6 + LEAD_SECONDS, 0);
  expect(await loudness(video)).toEqual([true, false, true]);
  const { sound } = await detectionsOf(video);
  expect(sound).toHaveLength(1);
  expect(sound?.[0]).toMatchObject({ kind: "speech", sound: "silence", redacted: true });
  expect(sound?.[0]?.start_seconds).toBeCloseTo(SPEECH.start_seconds, 1);
  const { work } = await inspectVideo(video);
  expect(work.filter((name) => name.startsWith("speech"))).toEqual([]);
});

test("revisions use the speech that was found, and say where it is heard again", async () => {
  const asked = answerSpeech();
  const video = await newVideo();
  await runToEnd(video);
  const lifted = await revise(video, { audio: "keep" });
  await runToEnd(lifted);
  expect(await loudness(lifted)).toEqual([true, true, true]);
  expect((await detectionsOf(lifted)).sound).toMatchObject([{ kind: "speech", redacted: false }]);
  const again = await revise(lifted, {
    audio: "mute_speech",
    mute_ranges: [{ start_seconds: 0.5, end_seconds: 1.8 }],
  });
  await runToEnd(again);
  expect(await loudness(again)).toEqual([false, false, true]);
  expect(asked).toHaveLength(1);
});

test("a revision of a video that nobody listened to listens once", async () => {
  const asked = answerSpeech();
  const video = await newVideo({});
  await runToEnd(video);
  expect(asked).toEqual([]);
  for (const _ of [1, 2]) {
    const revision = await revise(video, { audio: "mute_speech" });
    await runToEnd(revision);
    expect(await loudness(revision)).toEqual([true, false, true]);
  }
  expect(asked).toHaveLength(1);
});

test("while the service is away, the job is tried again, and never ends with speech in it", async () => {
  const asked = answerSpeech((call) => (call < 3 ? new Response("", { status: 503 }) : undefined));
  const video = await newVideo();
  await runToEnd(video);
  expect(asked).toHaveLength(3);
  expect(await loudness(video)).toEqual([true, false, true]);
  answerSpeech(() => new Response("", { status: 500 }));
  const failed = await newVideo();
  await runToEnd(failed);
  expect(await inspectVideo(failed)).toMatchObject({ status: "failed", failureCode: "retries_spent" });
});

test.for([{ isDetectOnly: false }, { isDetectOnly: true }])(
  "while the service is away, the job waits behind the breaker (%o)",
  async ({ isDetectOnly }) => {
    let backAtMs = Infinity;
    const answeredAtMs: number[] = [];
    const asked = answerSpeech(() => {
      if (answeredAtMs.length === 0) backAtMs = Date.now() + 100_000;
      answeredAtMs.push(Date.now());
      return Date.now() < backAtMs ? new Response("", { status: 503 }) : undefined;
    });
    const video = await newVideo({ audio: "mute_speech", isDetectOnly });
    await runToEnd(video);
    expect(await inspectVideo(video)).toMatchObject({ status: "completed", failureCode: null });
    // Three failures open the breaker; then there is a probe every ten seconds at most.
    expect(asked.length).toBeGreaterThan(MAX_ATTEMPTS);
    const gapsMs = answeredAtMs.slice(4).map((atMs, index) => atMs - (answeredAtMs[index + 3] ?? 0));
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(2_000);
    const breaker = await env.DB.prepare("SELECT failures, opened_at FROM detector_breakers").first();
    expect(breaker).toEqual({ failures: 0, opened_at: null });
  },
);

test("a revision whose speech is known is made while the service is away", async () => {
  answerSpeech();
  const video = await newVideo();
  await runToEnd(video);
  await env.DB.prepare(
    `INSERT INTO detector_breakers (queue, failures, most_at_once, opened_at, retry_at)
     VALUES ('videos', 3, 0, ?1, ?2)`,
  )
    .bind(Date.now(), Date.now() + 3_600_000)
    .run();
  const again = await revise(video, { audio: "mute_speech", redact: "none" });
  await runToEnd(again);
  expect(await loudness(again)).toEqual([true, false, true]);
});

test("a video of which only detections are wanted lists its speech", async () => {
  answerSpeech();
  const video = await newVideo({ audio: "mute_speech", isDetectOnly: true });
  await runToEnd(video);
  expect((await detectionsOf(video)).sound).toMatchObject([{ kind: "speech", redacted: false }]);
});

test("killed steps resume, and the speech is silent", async () => {
  for (let seed = 1; seed <= 4; seed++) {
    answerSpeech();
    const video = await newVideo();
    await runToEnd(video, { around: killsAtRandom({ made: 0, most: 20 }, randomFrom(seed)) });
    expect(await inspectVideo(video)).toMatchObject({ status: "completed" });
    expect(await loudness(video)).toEqual([true, false, true]);
  }
});
