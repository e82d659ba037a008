import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { MaskingOptions } from "../../../src/records/masking/masking-options.ts";
import type { RangeReader } from "../../../src/work/video/containers/stored-ranges.ts";
import {
  probeVideo,
  VideoProbeError,
  type ProbedVideo,
  type VideoLimits,
} from "../../../src/work/video/containers/probe.ts";
import { sampleSize } from "../../../src/work/video/sampling/frame-sizes.ts";
import { quotaUnitsOf } from "../../../src/records/usage/quota-units.ts";
import { createAccount } from "../../support/accounts.ts";
import { nameOf, type Format } from "../formats/format.ts";
import {
  answerFrames,
  inspectVideo,
  engineServiceVars,
  queuedVideo,
  runToEnd,
  type QueuedVideo,
} from "./video-jobs.ts";

const LIMITS = {
  maxLongSidePixels: 1920,
  maxShortSidePixels: 1088,
  maxFramesPerSecond: 60,
  maxDurationSeconds: 3600,
  decodesAv1: async () => false,
};
/** The limits of a service whose video engine decodes AV1. */
const LARGE_LIMITS = {
  ...LIMITS,
  maxLongSidePixels: 3840,
  maxShortSidePixels: 2160,
  decodesAv1: async () => true,
};

const KINDS = { MP4: "mp4", QuickTime: "quicktime", WebM: "webm", Matroska: "mp4", AVI: "mp4" } as const;

/** Sends a request to the tests' service outside the Worker, which creates and compares files. */
export async function askFormats(
  path: "source" | "compare",
  format: Format,
  body?: Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const url = `http://formats.test/${path}?${String(new URLSearchParams({ name: nameOf(format) }))}`;
  const response = await fetch(url, body === undefined ? {} : { method: "POST", body });
  if (!response.ok) throw new Error(await response.text());
  return response;
}

/** A format's file. */
export async function sourceOf(format: Format): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await askFormats("source", format)).arrayBuffer());
}

/** Probes a file as an upload is probed. @throws VideoProbeError */
async function probed(
  container: Format["container"],
  source: Uint8Array,
  limits: VideoLimits,
): Promise<ProbedVideo> {
  const read: RangeReader = async (start, end) => Uint8Array.from(source.subarray(start, end));
  return await probeVideo({ read, sizeBytes: source.length, format: KINDS[container] }, limits);
}

/** Probes and redacts a file. Fails if the job leaves anything besides the source and the output. */
export async function redacted(
  container: Format["container"],
  source: Uint8Array<ArrayBuffer>,
  options: {
    videoMinutes?: number;
    engineService?: string;
    masking?: Partial<MaskingOptions>;
    detections?: readonly object[];
  } = {},
): Promise<QueuedVideo> {
  const { engineService } = options;
  const found = await probed(container, source, engineService === undefined ? LIMITS : LARGE_LIMITS);
  const { accountId } = await createAccount();
  const quotaUnits = quotaUnitsOf(found.durationSeconds);
  const video = await queuedVideo(accountId, {
    source,
    format: found.format,
    probed: found,
    quotaUnits,
    ...(options.masking === undefined ? {} : { options: options.masking }),
  });
  if (options.videoMinutes !== undefined) {
    await env.DB.prepare("UPDATE accounts SET video_minutes_per_period = ?2 WHERE id = ?1")
      .bind(accountId, options.videoMinutes)
      .run();
  }
  const size = sampleSize({ width: found.widthPixels, height: found.heightPixels });
  answerFrames(undefined, size, options.detections);
  const vars = engineService === undefined ? {} : engineServiceVars(engineService);
  await runToEnd(video, { around: (_delivery, bindings) => ({ ...bindings, ...vars }) });
  vi.restoreAllMocks();
  return video;
}

/** The outcome of a file: the refusal's sentence, or the final state of its media item with the reason. */
export async function outcomeOf(
  container: Format["container"],
  source: Uint8Array<ArrayBuffer>,
  options: Parameters<typeof redacted>[2] = {},
): Promise<string> {
  try {
    const video = await redacted(container, source, options);
    const { status, failureCode, usage, tasks, objects, work } = await inspectVideo(video);
    const isCompleted = status === "completed";
    expect({ tasks, objects, reserved: usage?.reserved }).toEqual({
      tasks: 0,
      objects: isCompleted ? ["detections.00000", "output", "source", "thumbnail"] : ["source"],
      reserved: 0,
    });
    if (!isCompleted) expect({ used: usage?.used, work }).toEqual({ used: 0, work: [] });
    return [status, failureCode].filter((word) => word !== null).join(": ");
  } catch (error) {
    if (error instanceof VideoProbeError) return error.message;
    throw error;
  }
}
