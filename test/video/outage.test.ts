import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { DAY_MS } from "../../src/ground/platform/clock.ts";
import { describeVerification } from "../../src/records/verification/verification.service.ts";
import { MAX_ATTEMPTS } from "../../src/work/jobs/retry-or-fail.ts";
import { createAccount } from "../support/accounts.ts";
import { beginQuietly, START_MS } from "../support/quiet-start.ts";
import {
  answerFrames,
  clipOf,
  inspectVideo,
  queuedVideo,
  runToEnd,
  type QueuedVideo,
} from "./support/video-jobs.ts";

const BACK_AT_MS = START_MS + 150_000;

beginQuietly();

test("a video waits for a detector that is away, and the attempts meanwhile do not count", async () => {
  answerFrames(() => (Date.now() < BACK_AT_MS ? new Response(null, { status: 503 }) : undefined));
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId);
  // Each attempt keeps its number, which is part of the keys of its results.
  await env.DB.prepare(
    `CREATE TRIGGER note_attempts AFTER UPDATE OF state ON video_tasks WHEN NEW.state = 'done' AND NEW.kind = 'analyse'
     BEGIN UPDATE accounts SET name = NEW.attempts || ' ' || NEW.excused_attempts WHERE id = NEW.account_id AND NEW.segment = 0; END`,
  ).run();
  await runToEnd(video);
  expect(await inspectVideo(video)).toMatchObject({ status: "completed", failureCode: null });
  const noted = await env.DB.prepare("SELECT name FROM accounts WHERE id = ?1").bind(accountId).first("name");
  const [attempts = 0, excused = 0] = String(noted).split(" ").map(Number);
  expect(attempts).toBeGreaterThan(MAX_ATTEMPTS);
  expect(attempts - excused).toBeLessThan(MAX_ATTEMPTS);
  const breaker = await env.DB.prepare("SELECT failures, opened_at FROM detector_breakers").first();
  expect(breaker).toEqual({ failures: 0, opened_at: null });
});

const database = openDatabase(env.DB, "primary");
/** Calls for the frames of a clip of one segment before its output is read again. */
const FIRST_CALLS = 1;

function away(): Response {
  return new Response(null, { status: 503 });
}

async function verifiedVideo(): Promise<QueuedVideo> {
  const { accountId } = await createAccount();
  return await queuedVideo(accountId, { source: clipOf("oneFrame"), options: { isVerified: true } });
}

describe("a detector that goes away before the second reading of a video", () => {
  test("is waited for", async () => {
    const isAway = (call: number): boolean => call > FIRST_CALLS && Date.now() < BACK_AT_MS;
    const asked = answerFrames((call) => (isAway(call) ? away() : undefined));
    const video = await verifiedVideo();
    await runToEnd(video);
    expect(Date.now()).toBeGreaterThanOrEqual(BACK_AT_MS);
    expect(asked.length).toBeGreaterThan(FIRST_CALLS + 3);
    expect(await inspectVideo(video)).toMatchObject({
      status: "completed",
      failureCode: null,
      events: ["media.processed"],
    });
    // The detector answers the same whatever it is shown.
    expect(await describeVerification(database, video)).toMatchObject({
      status: "findings",
      looked_at: { frames: 1 },
    });
  });

  test("and stays away for longer than a day costs the second reading and not the video", async () => {
    answerFrames((call) => (call > FIRST_CALLS ? away() : undefined));
    const video = await verifiedVideo();
    await env.DB.prepare("UPDATE media SET created_at = ?1 WHERE id = ?2")
      .bind(START_MS - DAY_MS - 1, video.mediaId)
      .run();
    await runToEnd(video);
    expect(await inspectVideo(video)).toMatchObject({
      status: "completed",
      failureCode: null,
      events: ["media.processed"],
      tasks: 0,
      objects: ["detections.00000", "output", "source", "thumbnail"],
    });
    expect(await describeVerification(database, video)).toMatchObject({
      status: "not_done",
      looked_at: { frames: 0 },
      findings: [],
    });
  });
});
