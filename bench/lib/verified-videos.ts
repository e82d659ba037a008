import { z } from "zod";
import { readMedia, untilFinal, upload } from "./client.ts";
import { filmStreet } from "./clips.ts";
import { progress } from "./report.ts";
import type { BenchService } from "./service.ts";
import { rounded } from "./statistics.ts";
import { durationOf, stepsOf } from "./video-steps.ts";

const SIZE = { width: 1280, height: 720 };
const SECONDS = 10;
const CATEGORIES = ["heads", "license_plates", "qr_codes"];
const PATIENCE_MS = 300_000;

const verificationSchema = z.object({
  status: z.enum(["passed", "findings", "not_done"]),
  looked_at: z.object({ frames: z.number() }),
  findings: z.array(z.object({ kind: z.string(), category: z.string(), confidence: z.number() })),
});

/** A video that was redacted without and with a second reading, one right after the other. */
export interface MeasuredVideo {
  readonly withoutMs: number;
  readonly withMs: number;
  /** Frames that the detector looked at before and after the video was redacted. */
  readonly looks: number;
  readonly looksAgain: number;
  readonly verifyStepsMs: number;
  readonly untouched: z.output<typeof verificationSchema>;
}

/** Films a street with another grain for each video. */
async function film(index: number): Promise<Uint8Array<ArrayBuffer>> {
  return await filmStreet({ ...SIZE, seconds: SECONDS, grainLevels: 3 + index });
}

/** Redacts drawn videos without and with a second reading, in turn. */
export async function measureVideos(service: BenchService, videos: number): Promise<MeasuredVideo[]> {
  const measured: MeasuredVideo[] = [];
  // All before the first request: while a film is made, the service would close the idle connection.
  const clips: Uint8Array<ArrayBuffer>[] = [];
  for (let index = 0; index < videos; index += 1) clips.push(await film(index));
  const [first] = clips;
  if (first !== undefined) await redacted(service, first, true);
  for (const [index, clip] of clips.entries()) {
    progress(`verification: video ${index + 1} of ${videos}`);
    const without = await redacted(service, clip, false);
    const verified = await redacted(service, clip, true);
    const steps = await stepsOf(service.folder, verified.mediaId);
    const looksOf = (kind: string): number =>
      steps.filter(({ step }) => step === kind).reduce((sum, { looks }) => sum + looks, 0);
    measured.push({
      withoutMs: rounded(without.ms, 0),
      withMs: rounded(verified.ms, 0),
      looks: looksOf("analyse"),
      looksAgain: looksOf("verify"),
      verifyStepsMs: rounded(durationOf(steps, "verify"), 0),
      untouched: await readMedia(service, `${verified.mediaId}/verification`, verificationSchema),
    });
  }
  return measured;
}

async function redacted(
  service: BenchService,
  file: Uint8Array<ArrayBuffer>,
  isVerified: boolean,
): Promise<{ mediaId: string; ms: number }> {
  const startedAt = performance.now();
  const fields = { verify: String(isVerified) };
  const mediaId = await upload(service, { file, filename: "street.mp4", categories: CATEGORIES, fields });
  const status = await untilFinal(service, mediaId, PATIENCE_MS);
  if (status !== "completed") throw new Error(`The video ended as ${status}.`);
  return { mediaId, ms: performance.now() - startedAt };
}
