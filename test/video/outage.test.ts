import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { MAX_ATTEMPTS } from "../../src/work/jobs/retry-or-fail.ts";
import { createAccount } from "../support/accounts.ts";
import { beginQuietly, START_MS } from "../support/quiet-start.ts";
import { answerFrames, inspectVideo, queuedVideo, runToEnd } from "./support/video-jobs.ts";

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
