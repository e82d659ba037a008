/**
 * Measures how fast the service redacts a video of 3840×2160 pixels. The running service uses its bundled models and its media
 * service, with one ten-second video in flight. Reads the duration of each step from the Worker's log.
 */
import { setTimeout as delay } from "node:timers/promises";
import { upload, untilFinal } from "./lib/client.ts";
import { filmStreet, repeated } from "./lib/clips.ts";
import { progress, reported, runBenchmark, type Finding } from "./lib/report.ts";
import { withService, type BenchService } from "./lib/service.ts";
import { rounded } from "./lib/statistics.ts";
import { elapsedOf, stepsOf } from "./lib/video-steps.ts";

const SIZE = { width: 3840, height: 2160 };
const FRAMES_PER_SECOND = 30;
/** The length of the clip, and the number of times that the video repeats it. */
const CLIP_SECONDS = 2;
const TIMES = 5;
const FRAMES = CLIP_SECONDS * TIMES * FRAMES_PER_SECOND;
const CATEGORIES = ["heads", "license_plates", "qr_codes"];
const PATIENCE_MS = 30 * 60_000;
/** The Worker logs the last step after the client sees the video completed. */
const LOG_DELAY_MS = 500;

interface Run {
  readonly totalMs: number;
  readonly analyseMs: number;
  readonly renderMs: number;
}

await runBenchmark(import.meta.filename, async () => {
  progress("video-4k: filming");
  const clip = await filmStreet({ ...SIZE, seconds: CLIP_SECONDS });
  const film = await repeated(clip, TIMES);
  const run = await withService(async (service) => {
    progress("video-4k: warming up");
    await measure(service, clip);
    progress(`video-4k: ${CLIP_SECONDS * TIMES} s`);
    return await measure(service, film);
  });
  const finding = (does: string, ms: number): Finding =>
    reported({
      claim: `3840×2160 at ${FRAMES_PER_SECOND} fps ${does}`,
      unit: "frames/s",
      measured: rounded((1000 * FRAMES) / ms, 1),
    });
  return {
    findings: [
      finding("is analysed", run.analyseMs),
      finding("is rendered", run.renderMs),
      finding("goes through the whole pipeline, from its upload to completed", run.totalMs),
    ],
    details: {
      frames: FRAMES,
      megabitsPerSecond: rounded((8 * clip.length) / CLIP_SECONDS / 1e6, 1),
      ...run,
    },
  };
});

/** Returns the total milliseconds, and the milliseconds during which at least one analyze or render step ran. */
async function measure(service: BenchService, file: Uint8Array<ArrayBuffer>): Promise<Run> {
  const startedAtMs = performance.now();
  const mediaId = await upload(service, { file, filename: "street.mp4", categories: CATEGORIES });
  const status = await untilFinal(service, mediaId, PATIENCE_MS);
  if (status !== "completed") throw new Error(`The video ended ${status}.`);
  const totalMs = rounded(performance.now() - startedAtMs, 0);
  await delay(LOG_DELAY_MS);
  const steps = await stepsOf(service.folder, mediaId);
  return { totalMs, analyseMs: elapsedOf(steps, "analyse"), renderMs: elapsedOf(steps, "render") };
}
