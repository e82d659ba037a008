import type { InputAudioTrack } from "mediabunny";
import { z } from "zod";
import { detectorSettings } from "../../detection/detector-settings.ts";
import { findSpeech, SPEECH_SAMPLES_PER_SECOND } from "../../detection/speech.ts";
import { findHeardSpeech, keepHeardSpeech } from "../../../records/masking/media-sound.repository.ts";
import { heardSpeechSchema, type HeardSpeech, mergedRanges } from "../../../records/masking/media-sound.ts";
import { sourceKey } from "../../../records/media/media.objects.ts";
import { freeBuffer } from "../../../ground/platform/buffers.ts";
import { STORAGE_RETRY, withRetry } from "../../../ground/platform/retry.ts";
import { openSource, type OpenSource } from "../containers/open-container.ts";
import { objectRanges } from "../containers/stored-ranges.ts";
import { reading } from "../containers/track-packets.ts";
import { EngineError } from "../engine/engine.ts";
import { ffmpegEngine } from "../engine/ffmpeg-engine.ts";
import { heardSpansOf } from "../output/muted-packets.ts";
import { decodedPiece } from "../sound/heard-piece.ts";
import { rangesOfOutput, type HeardSpan } from "../sound/muted-times.ts";
import { isDecodable } from "../sound/sound-input.ts";
import { soundConfiguration } from "../sound/track-configuration.ts";
import type { StepContext } from "../tasks/step-context.ts";
import { findJson, putJson, workKey } from "../../../records/video-tasks/video.objects.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";

/** How much of a track is decoded and sent at once. Two minutes are four megabytes. */
const PIECE_SECONDS = 120;
/** Pieces overlap by this much, so that the detector knows what precedes a word. */
const OVERLAP_SECONDS = 2;
const heardSchema = z.array(heardSpeechSchema);

/**
 * The speech in a video's source, from the first frame shown on, in order. Versions of a file listen once. Each piece that was
 * heard is stored, so that an attempt continues where the last one ended.
 *
 * @throws DetectionError when the detector does not answer, EngineError, ContainerError, StorageReadError
 */
export async function heardSpeech(context: StepContext, plan: VideoPlan): Promise<HeardSpeech[]> {
  const { config, database, row, order } = context;
  const known = await withRetry(STORAGE_RETRY, async () => await findHeardSpeech(database, order.source));
  if (known !== undefined) return known;
  const source = await openSource(
    objectRanges(config.MEDIA, sourceKey(order.source)),
    plan.storedBytes ?? row.fileSizeBytes,
  );
  try {
    const found: HeardSpeech[] = [];
    for (const [index, track] of (await source.container.getAudioTracks()).entries())
      found.push(...(await speechOfTrack(context, { plan, source, track, index })));
    const merged = mergedRanges(
      found.map(({ startSeconds, endSeconds }) => ({ startSeconds, endSeconds, sound: "silence" })),
    ).map(({ startSeconds, endSeconds }) => ({
      startSeconds: rounded(startSeconds),
      endSeconds: rounded(endSeconds),
    }));
    await withRetry(STORAGE_RETRY, async () => await keepHeardSpeech(database, order.source, merged));
    return merged;
  } finally {
    source.container.dispose();
  }
}

async function speechOfTrack(
  context: StepContext,
  {
    plan,
    source,
    track,
    index,
  }: { plan: VideoPlan; source: OpenSource; track: InputAudioTrack; index: number },
): Promise<HeardSpeech[]> {
  const { config, row, signal } = context;
  const configuration = await soundConfiguration(track);
  // The output silences such a track as a whole.
  if (!isDecodable(configuration)) return [];
  const spans = await heardSpansOf(source, track);
  const firstFrameSeconds = (plan.frameTicks[0] ?? 0) / plan.ticksPerSecond;
  const [start, end] = await reading(async () => [
    await track.getFirstTimestamp(),
    await track.computeDuration({ metadataOnly: true }),
  ]);
  const found: HeardSpeech[] = [];
  for (let piece = 0; start + piece * PIECE_SECONDS < end; piece++) {
    signal.throwIfAborted();
    const key = workKey({ accountId: row.accountId, mediaId: row.id }, `speech-${index}-${piece}.json`);
    const stored = await findJson(config.MEDIA, key, heardSchema);
    const heard =
      stored ?? (await speechOfPiece(context, { track, configuration }, start + piece * PIECE_SECONDS));
    if (stored === undefined) await putJson(config.MEDIA, key, heard);
    found.push(...shownSpeech(heard, spans, firstFrameSeconds));
  }
  return found;
}

/** The speech in a piece of a track, by the track's own time. */
async function speechOfPiece(
  { config, row, signal, breaker }: StepContext,
  heard: Parameters<typeof decodedPiece>[1],
  startSeconds: number,
): Promise<HeardSpeech[]> {
  await breaker.assertMayCall();
  const fromSeconds = startSeconds - OVERLAP_SECONDS;
  const samples = await decodedPiece({ engine: ffmpegEngine, signal }, heard, {
    fromSeconds,
    toSeconds: startSeconds + PIECE_SECONDS + OVERLAP_SECONDS,
    samplesPerSecond: SPEECH_SAMPLES_PER_SECOND,
  }).catch(unlessFailed);
  // A piece that the engine cannot decode may contain speech, so the whole piece counts as speech.
  if (samples === undefined) return [{ startSeconds, endSeconds: startSeconds + PIECE_SECONDS }];
  if (samples.length === 0) return [];
  const ranges = await findSpeech(detectorSettings(config), samples, { requestId: row.requestId });
  await breaker.countAnswer();
  freeBuffer(samples);
  return ranges.map((range) => ({
    startSeconds: range.startSeconds + fromSeconds,
    endSeconds: range.endSeconds + fromSeconds,
  }));
}

function unlessFailed(error: unknown): undefined {
  if (error instanceof EngineError && error.code === "failed") return undefined;
  throw error;
}

/** Speech by the time from the first frame shown. */
function shownSpeech(
  heard: readonly HeardSpeech[],
  spans: readonly HeardSpan[],
  firstFrameSeconds: number,
): HeardSpeech[] {
  return rangesOfOutput(heard, spans).map(({ startSeconds, endSeconds }) => ({
    startSeconds: startSeconds - firstFrameSeconds,
    endSeconds: endSeconds - firstFrameSeconds,
  }));
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
