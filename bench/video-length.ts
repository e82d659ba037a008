/**
 * Measures how much more memory a longer video takes: sends thirty minutes of 720p through the running service, then nearly
 * sixty minutes twice. Run it with `node bench/video-length.ts`. The videos have two frames a second, so that the run ends
 * within minutes. Whatever could pile up with length, such as segments, samples, tracks, and packets, is still there in full.
 */
import { filmStreet, repeated } from "./lib/clips.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { withService } from "./lib/service.ts";
import { most, mostByProcess, soak, type Sample } from "./lib/soak.ts";
import { rounded } from "./lib/statistics.ts";

const SIZE = { width: 1280, height: 720 };
const FRAMES_PER_SECOND = 2;
const CLIP_SECONDS = 60;
/** Just under the longest video that the service accepts. */
const MINUTES = 59;
/** The length of a warm-up video. After it, the processes hold the memory that a video of any length takes, whichever step takes most. */
const SHORT_MINUTES = 30;
/** Freed memory still counts until it is collected. A leak would grow with every video. */
const GROWTH_LIMIT_MEGABYTES = 100;

await runBenchmark(import.meta.filename, async () => {
  const clip = await filmStreet({
    ...SIZE,
    seconds: CLIP_SECONDS,
    framesPerSecond: FRAMES_PER_SECOND,
    // The upload limit is 100 MB.
    rateFactor: 38,
    grainLevels: 0,
  });
  const short = await repeated(clip, SHORT_MINUTES);
  const long = await repeated(clip, MINUTES);
  progress(`video-length: ${rounded(long.length / 1e6, 1)} MB`);
  const [first, second, third] = await withService(async (service) => [
    await soak(service, short),
    await soak(service, long),
    await soak(service, long),
  ]);
  return {
    findings: [
      reported({
        claim: `720p videos of ${SHORT_MINUTES}, ${MINUTES} and ${MINUTES} minutes complete`,
        unit: "videos",
        measured: [first, second, third].filter(({ status }) => status === "completed").length,
      }),
      reported({
        claim: `Growth of the Workers' processes together, from the most with ${SHORT_MINUTES} minutes to the most with ${MINUTES}`,
        unit: "MB",
        measured: growth(first.samples, second.samples),
      }),
      atMost(GROWTH_LIMIT_MEGABYTES, {
        claim: `The same from one video of ${MINUTES} minutes to the next`,
        unit: "MB",
        measured: growth(second.samples, third.samples),
      }),
      reported({
        claim: "Growth of the process of the simulated R2 and D1, from the shorter to the longer",
        unit: "MB",
        measured: most(second.samples, "storageMegabytes") - most(first.samples, "storageMegabytes"),
      }),
    ],
    details: {
      sourceBytes: long.length,
      mostMegabytesByProcess: [first, second, third].map(({ samples }) => mostByProcess(samples)),
      samples: [first, second, third].map(({ samples }) => samples),
    },
  };
});

function growth(from: readonly Sample[], to: readonly Sample[]): number {
  return most(to, "workersMegabytes") - most(from, "workersMegabytes");
}
