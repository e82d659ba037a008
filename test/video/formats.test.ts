import { env } from "cloudflare:workers";
import { afterEach, expect, inject, test, vi } from "vitest";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { AV1S } from "./formats/av1-formats.ts";
import { nameOf, type Comparison, type Format } from "./formats/format.ts";
import { FORMATS } from "./formats/formats.ts";
import { askFormats, redacted, sourceOf } from "./support/outcomes.ts";
import { inspectVideo } from "./support/video-jobs.ts";

/** Drawn colors with hard edges are harder to encode than camera pictures. */
const LEAST_PSNR = 30;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Redacts a format as the service does, from the probe to the output, and compares both files. */
async function compared(format: Format): Promise<Comparison> {
  const service = format.isForInstalled === true ? { engineService: "plain" } : {};
  const video = await redacted(format.container, await sourceOf(format), service);
  expect(await inspectVideo(video)).toMatchObject({
    status: "completed",
    objects: ["detections.00000", "output", "source", "thumbnail"],
  });
  const output = await env.MEDIA.get(outputKey(video));
  const bytes = new Uint8Array((await output?.arrayBuffer()) ?? new ArrayBuffer(0));
  return (await (await askFormats("compare", format, bytes)).json()) as Comparison;
}

const ALL_FORMATS = [...FORMATS, ...AV1S].map((format) => [nameOf(format), format] as const);

test.for(ALL_FORMATS)("%s", async ([, format], { skip }) => {
  skip(format.isForInstalled === true && !inject("decodesAv1"), "No ffmpeg is installed that decodes AV1.");
  const { source, output, outsidePsnr, insidePsnr, shiftedPsnr } = await compared(format);
  const { leastPsnr = LEAST_PSNR, soundTracks: _, ...differences } = format.expected ?? {};
  expect(output).toEqual({ ...source, ...differences, traces: [], startsAtOnce: true });
  expect(outsidePsnr).toBeGreaterThan(leastPsnr);
  expect(shiftedPsnr).toBeLessThan(outsidePsnr - 6);
  expect(insidePsnr).toBeLessThan(20);
});
