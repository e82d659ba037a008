import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { saveReasonList } from "../../src/records/masking/reasons.repository.ts";
import { createAccount } from "../support/accounts.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { detectionsOf, FRAMES, outputLuma } from "./support/revise-video.ts";
import { answerFrames, BOX, queuedVideo, runToEnd, type QueuedVideo } from "./support/video-jobs.ts";

const [WIDTH, HEIGHT] = [160, 96];
const SEEN = [BOX, { category: "qr_codes", confidence: 0.16, box: [0.7, 0.05, 0.25, 0.3] }];
/** The label in the middle of the code's mask has pixels at least as bright as text, and at most as dark as its plate. */
const [BRIGHT, DARK] = [190, 60];

let video: QueuedVideo;

beginQuietly();

async function setReasons(codes: readonly string[], defaults: { qr_codes?: string }): Promise<void> {
  const { accountId } = video;
  const deed = {
    accountId,
    actor: { kind: "operator", id: "operator" },
    requestId: "req_1",
    nowMs: 1,
  } as const;
  const reasons = codes.map((code) => ({ code, text: `Text of ${code}` }));
  await saveReasonList(openDatabase(env.DB, "primary"), { reasons, defaults }, deed);
}

beforeEach(async () => {
  answerFrames(undefined, undefined, SEEN);
  const { accountId } = await createAccount();
  video = await queuedVideo(accountId, {
    options: {
      regions: [{ category: "heads", reason: "Q2", box: [0, 0, 0.2, 0.2] }],
      reasonTexts: { Q2: "Then" },
    },
  });
  await setReasons(["Q1", "(b)(6)"], { qr_codes: "Q1" });
  await runToEnd(video);
});

/** The codes of the listed detections, by ID. */
async function codesOf(of: QueuedVideo): Promise<Record<string, string>> {
  const { detections } = await detectionsOf(of);
  return Object.fromEntries(
    detections.flatMap(({ id, reason }) =>
      reason === undefined ? [] : [[id, `${reason.code}: ${reason.text}`]],
    ),
  );
}

test("masks of a video get the reason of their category, a chosen one, or none; and show it when asked", async () => {
  const [code, faint, region] = (await detectionsOf(video)).detections.map(({ id }) => id);
  if (code === undefined || faint === undefined || region === undefined)
    throw new Error("Nothing was found.");
  expect(await codesOf(video)).toEqual({ [code]: "Q1: Text of Q1", [region]: "Q2: Then" });
  await setReasons(["(b)(6)"], {});
  const revision = await revise(video, {
    redact: [code, faint, region],
    reasons: { [faint]: "(b)(6)" },
    burn_in_reasons: true,
  });
  await runToEnd(revision);
  const expected = { [code]: "Q1: Text of Q1", [faint]: "(b)(6): Text of (b)(6)", [region]: "Q2: Then" };
  expect(await codesOf(revision)).toEqual(expected);
  const later = await revise(revision, { redact: [code], reasons: { [code]: null } });
  await runToEnd(later);
  expect(await codesOf(later)).toEqual({});
  expectLabels(await outputLuma(revision), true);
  expectLabels(await outputLuma(later), false);
});

/** Whether every frame has text in the middle of the code's mask. */
function expectLabels(luma: Uint8Array, isThere: boolean): void {
  const [left, top, width, height] = BOX.box as [number, number, number, number];
  const [x, y] = [Math.round((left + width / 2) * WIDTH), Math.round((top + height / 2) * HEIGHT)];
  const labeled = Array.from({ length: FRAMES }, (_, frame) => {
    const levels: number[] = [];
    for (let row = y - 4; row <= y + 4; row++)
      for (let column = x - 6; column <= x + 6; column++)
        levels.push(luma[(frame * HEIGHT + row) * WIDTH + column] ?? 0);
    return Math.max(...levels) >= BRIGHT && Math.min(...levels) <= DARK;
  });
  expect(labeled.filter(Boolean)).toHaveLength(isThere ? FRAMES : 0);
}
