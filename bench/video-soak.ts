/**
 * Tests whether half an hour of 720p at 30 frames a second runs through the service with flat memory, and measures the speed.
 * Run it with `node bench/video-soak.ts`. It takes as long as the video on two cores. `video-length.ts` compares lengths.
 */
import { filmStreet, repeated } from "./lib/clips.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { withService } from "./lib/service.ts";
import { growthWhile, most, mostByProcess, soak } from "./lib/soak.ts";
import { rounded } from "./lib/statistics.ts";

const SIZE = { width: 1280, height: 720 };
const CLIP_SECONDS = 60;
const MINUTES = 30;
const ENGINE_LIMIT_MEGABYTES = 110;
/**
 * The limit for the API's process and the job processes together, and for inference. Leaking one frame per segment would take a
 * gigabyte.
 */
const GROWTH_LIMIT_MEGABYTES = 50;

await runBenchmark(import.meta.filename, async () => {
  // The upload limit is 100 MB, which half an hour takes at this rate.
  const clip = await filmStreet({ ...SIZE, seconds: CLIP_SECONDS, rateFactor: 38, grainLevels: 0 });
  const video = await repeated(clip, MINUTES);
  progress(`video-soak: ${rounded(video.length / 1e6, 1)} MB`);
  const run = await withService(async (service) => await soak(service, video));
  const { samples, steps, engineMegabytes, status } = run;
  const seconds = samples.at(-1)?.seconds ?? NaN;
  const frames = steps.filter(({ step }) => step === "render").reduce((sum, step) => sum + step.frames, 0);
  return {
    findings: [
      reported({
        claim: `A 720p video of ${MINUTES} minutes at 30 frames a second completes`,
        unit: "videos",
        measured: status === "completed" ? 1 : 0,
      }),
      atMost(ENGINE_LIMIT_MEGABYTES, {
        claim: "Memory of the engine, most",
        unit: "MB",
        measured: engineMegabytes,
      }),
      ...["analyse", "render"].map((kind) =>
        atMost(GROWTH_LIMIT_MEGABYTES, {
          claim: `Growth of the Workers' processes together while segments are at ${kind}, from the second quarter to the last`,
          unit: "MB",
          measured: growthWhile(run, kind, "workersMegabytes"),
        }),
      ),
      atMost(GROWTH_LIMIT_MEGABYTES, {
        claim:
          "Growth of the inference service while segments are at analyse, from the second quarter to the last",
        unit: "MB",
        measured: growthWhile(run, "analyse", "inferenceMegabytes"),
      }),
      reported({
        claim: "The Workers' processes together, most",
        unit: "MB",
        measured: most(samples, "workersMegabytes"),
      }),
      reported({
        claim: "The inference service, most",
        unit: "MB",
        measured: most(samples, "inferenceMegabytes"),
      }),
      reported({
        claim: "Whole pipeline, from the upload to the finished file",
        unit: "frames/s",
        measured: rounded(frames / seconds, 1),
      }),
      reported({
        claim: "Stored at most: source, output and what steps hand on",
        unit: "MB",
        measured: most(samples, "storedMegabytes"),
      }),
      reported({
        claim: "Stored at the end: source and output",
        unit: "MB",
        measured: samples.at(-1)?.storedMegabytes ?? NaN,
      }),
    ],
    details: {
      segments: steps.filter(({ step }) => step === "render").length,
      frames,
      sourceBytes: video.length,
      mostMegabytesByProcess: mostByProcess(samples),
      samples,
    },
  };
});
