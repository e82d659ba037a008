import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { untilFinal, upload } from "./client.ts";
import { filmStreet } from "./clips.ts";
import type { Followed } from "./follow-photos.ts";
import { eventsOf, measureOf, type LogEvent } from "./log-events.ts";
import { networksMs } from "./inference.ts";
import { progress, reported } from "./report.ts";
import type { BenchService } from "./service.ts";
import { median, rounded, timed } from "./statistics.ts";
import type { Step } from "./step-table.ts";
import { withTemporaryFolder } from "./temporary.ts";
import { elapsedOf, stepsOf } from "./video-steps.ts";

const SIZE = { width: 768, height: 432 };
const SECONDS = 10;
const FRAMES_PER_SECOND = 30;
const CATEGORIES = ["heads"];
const RUNS = 3;
const LOG_DELAY_MS = 500;

interface Run {
  readonly totalMs: number;
  readonly uploadMs: number;
  readonly planMs: number;
  readonly waitedMs: number;
  readonly stepsMs: Readonly<Record<(typeof STEPS)[number], number>>;
  readonly answersMs: number;
  readonly networksMs: number;
}

const STEPS = ["analyse", "link", "render", "assemble"] as const;

/** Makes the film that {@link followFilm} follows. */
export async function makeFilm(): Promise<Uint8Array<ArrayBuffer>> {
  progress("where-time-goes: filming");
  return await filmStreet({ ...SIZE, seconds: SECONDS });
}

/** Follows a film several times, each time on an idle service, and returns the medians of its steps. */
export async function followFilm(service: BenchService, file: Uint8Array<ArrayBuffer>): Promise<Followed> {
  await follow(service, file);
  const runs: Run[] = [];
  for (let run = 1; run <= RUNS; run++) {
    progress(`where-time-goes: film ${run} of ${RUNS}`);
    runs.push(await follow(service, file));
  }
  const native = await nativeMs(file);
  const middle = (value: (run: Run) => number): number => median(runs.map(value));
  const totalMs = middle((run) => run.totalMs);
  const networkMs = middle((run) => run.networksMs);
  const answersMs = middle((run) => run.answersMs);
  const steps: Step[] = [
    { step: "Upload", ms: middle((run) => run.uploadMs) },
    { step: "Plan", ms: middle((run) => run.planMs) },
    {
      step: "Analysis: decode, scale, detect",
      ms: middle((run) => run.stepsMs.analyse),
      limitMs: native && native.decode + networkMs,
      limitOf: `decode by ffmpeg ${native?.decode.toFixed(0) ?? ""} ms, networks ${networkMs.toFixed(0)} ms`,
    },
    { step: "Linking", ms: middle((run) => run.stepsMs.link) },
    {
      step: "Rendering: decode, paint, encode",
      ms: middle((run) => run.stepsMs.render),
      limitMs: native?.transcode,
      limitOf: "decode and encode by ffmpeg",
    },
    { step: "Assembly", ms: middle((run) => run.stepsMs.assemble) },
  ];
  const knownMs = steps.reduce((sum, { ms }) => sum + ms, 0);
  steps.push({ step: "Waiting between steps, claims, and the client's poll", ms: totalMs - knownMs });
  return {
    title: `${SECONDS} s of ${SIZE.width}×${SIZE.height} at ${FRAMES_PER_SECOND} frames a second, heads`,
    steps,
    totalMs,
    findings: [
      reported({ claim: "A film, in all", unit: "ms", measured: rounded(totalMs, 0) }),
      reported({
        claim: "A film, in all",
        unit: "frames/s",
        measured: rounded((1000 * SECONDS * FRAMES_PER_SECOND) / totalMs, 1),
      }),
      ...steps.map(({ step, ms }) =>
        reported({ claim: `A film: ${step}`, unit: "ms", measured: rounded(ms, 0) }),
      ),
      reported({
        claim: "A film: waited by all its steps, some at the same time",
        unit: "ms",
        measured: rounded(
          middle((run) => run.waitedMs),
          0,
        ),
      }),
      reported({ claim: "A film: the detector's answers", unit: "ms", measured: rounded(answersMs, 0) }),
      reported({ claim: "A film: its networks", unit: "ms", measured: rounded(networkMs, 0) }),
      ...(native === undefined
        ? []
        : [
            reported({ claim: "ffmpeg alone: decode", unit: "ms", measured: rounded(native.decode, 0) }),
            reported({
              claim: "ffmpeg alone: decode and encode",
              unit: "ms",
              measured: rounded(native.transcode, 0),
            }),
          ]),
    ],
    details: { runs },
  };
}

async function follow(service: BenchService, file: Uint8Array<ArrayBuffer>): Promise<Run> {
  const networksBeforeMs = await networksMs(service);
  const startedAtMs = performance.now();
  const mediaId = await upload(service, { file, filename: "street.mp4", categories: CATEGORIES });
  const uploadMs = performance.now() - startedAtMs;
  const status = await untilFinal(service, mediaId);
  const totalMs = performance.now() - startedAtMs;
  if (status !== "completed") throw new Error(`A film ended ${status}.`);
  await delay(LOG_DELAY_MS);
  const events = await eventsOf(service.folder, mediaId);
  const planned = events.find(({ event, outcome }) => event === "video_job" && outcome === "planned");
  const steps = await stepsOf(service.folder, mediaId);
  const sum = (event: string, measure: string): number =>
    events
      .filter((one: LogEvent) => one.event === event)
      .reduce((all, one) => all + measureOf(one, measure), 0);
  return {
    totalMs,
    uploadMs,
    planMs: measureOf(planned, "durationMs"),
    waitedMs: measureOf(planned, "waitedMs") + sum("video_step", "waitedMs"),
    stepsMs: Object.fromEntries(STEPS.map((kind) => [kind, elapsedOf(steps, kind)])) as Run["stepsMs"],
    answersMs: sum("inference_call", "durationMs"),
    networksMs: (await networksMs(service)) - networksBeforeMs,
  };
}

/** How long the installed ffmpeg takes for the film. Undefined, with a message, if none is installed. */
async function nativeMs(file: Uint8Array): Promise<{ decode: number; transcode: number } | undefined> {
  return await withTemporaryFolder(async (folder) => {
    await writeFile(join(folder, "film.mp4"), file);
    const run = async (args: string): Promise<number> =>
      await timed(async () => {
        const all = `-nostdin -hide_banner -loglevel error -i film.mp4 ${args}`.split(" ");
        await promisify(execFile)("ffmpeg", all, { cwd: folder });
      });
    try {
      const times = [];
      for (let time = 0; time < RUNS; time++)
        times.push({
          decode: await run("-map 0:v -f null -"),
          transcode: await run("-map 0:v -c:v libx264 -preset veryfast -f null -"),
        });
      return {
        decode: median(times.map((one) => one.decode)),
        transcode: median(times.map((one) => one.transcode)),
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      progress("where-time-goes: ffmpeg is not installed, so decode and encode alone are not measured.");
      return undefined;
    }
  });
}
