import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const stepSchema = z.object({
  time: z.iso.datetime(),
  event: z.literal("video_step"),
  mediaId: z.string(),
  step: z.string(),
  outcome: z.literal("done"),
  durationMs: z.number(),
  frames: z.number().default(0),
  looks: z.number().default(0),
  engineMemoryBytes: z.number().default(0),
});

/** A step of a video's job, from the Worker's log. */
export type VideoStep = z.output<typeof stepSchema>;

/** Reads the finished steps of a video from the log of the service in a folder. */
export async function stepsOf(folder: string, mediaId: string): Promise<VideoStep[]> {
  const log = await readFile(join(folder, "workers.log"), "utf8");
  return log.split("\n").flatMap((line) => {
    if (!line.includes(mediaId) || !line.includes("video_step")) return [];
    const parsed = stepSchema.safeParse(JSON.parse(line));
    return parsed.success ? [parsed.data] : [];
  });
}

/** Returns the total duration of the steps of one kind, in milliseconds. */
export function durationOf(steps: readonly VideoStep[], kind: string): number {
  return steps.filter(({ step }) => step === kind).reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** Returns the milliseconds during which at least one step of a kind ran. Several steps may run at once, each in its own process. */
export function elapsedOf(steps: readonly VideoStep[], kind: string): number {
  const spans = steps
    .filter(({ step }) => step === kind)
    .map(({ time, durationMs }) => ({ from: Date.parse(time) - durationMs, to: Date.parse(time) }))
    .sort((a, b) => a.from - b.from);
  let elapsedMs = 0;
  let until = -Infinity;
  for (const { from, to } of spans) {
    elapsedMs += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return elapsedMs;
}
