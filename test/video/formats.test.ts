import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { outputKey } from "../../src/media/media.objects.ts";
import { sampleSize } from "../../src/video/frame-sizes.ts";
import { probeVideo } from "../../src/video/containers/probe.ts";
import { createAccount } from "../support/accounts.ts";
import { nameOf, type Comparison, type Format } from "./formats/format.ts";
import { FORMATS } from "./formats/formats.ts";
import { answerFrames, inspectVideo, queuedVideo, runToEnd } from "./support/video-jobs.ts";

const LIMITS = {
  maxLongSidePixels: 1920,
  maxShortSidePixels: 1088,
  maxFramesPerSecond: 60,
  maxDurationSeconds: 3600,
};

/** Drawn colours with hard edges are harder on an encoder than what cameras see. */
const LEAST_PSNR = 30;

const KINDS = { MP4: "mp4", QuickTime: "quicktime", WebM: "webm" } as const;

afterEach(() => {
  vi.restoreAllMocks();
});

async function ask(path: string, format: Format, body?: Uint8Array<ArrayBuffer>): Promise<Response> {
  const url = `http://formats.test/${path}?${String(new URLSearchParams({ name: nameOf(format) }))}`;
  const response = await fetch(url, body === undefined ? {} : { method: "POST", body });
  if (!response.ok) throw new Error(await response.text());
  return response;
}

/** Redacts a format as the service does, from the probe to the output. */
async function redacted(format: Format): Promise<Comparison> {
  const source = new Uint8Array(await (await ask("source", format)).arrayBuffer());
  const read = async (start: number, end: number): Promise<Uint8Array> => source.subarray(start, end);
  const kind = KINDS[format.container];
  const probed = await probeVideo({ read, sizeBytes: source.length, format: kind }, LIMITS);
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId, { source, format: kind, probed });
  answerFrames(undefined, sampleSize({ width: probed.widthPixels, height: probed.heightPixels }));
  await runToEnd(video);
  vi.restoreAllMocks();
  expect(await inspectVideo(video)).toMatchObject({ status: "completed", objects: ["output", "source"] });
  const output = await env.MEDIA.get(outputKey(video));
  const bytes = new Uint8Array((await output?.arrayBuffer()) ?? new ArrayBuffer(0));
  return (await (await ask("compare", format, bytes)).json()) as Comparison;
}

test.for(FORMATS.map((format) => [nameOf(format), format] as const))("%s", async ([, format]) => {
  const { source, output, outsidePsnr, insidePsnr, shiftedPsnr } = await redacted(format);
  const { leastPsnr = LEAST_PSNR, ...differences } = format.expected ?? {};
  expect(output).toEqual({ ...source, ...differences, traces: [], startsAtOnce: true });
  expect(outsidePsnr).toBeGreaterThan(leastPsnr);
  expect(shiftedPsnr).toBeLessThan(outsidePsnr - 6);
  expect(insidePsnr).toBeLessThan(20);
});
