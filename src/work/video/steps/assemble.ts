import { noteOutputUpload } from "../../../records/media/media-jobs.repository.ts";
import { abortMultipartUpload, outputKey, sourceKey } from "../../../records/media/media.objects.ts";
import { OutputWriter, type StoredOutput } from "../../../records/media/output-writer.ts";
import type { MediaFormat } from "../../../ground/vocabulary/media-values.ts";
import { openSource, type OpenSource } from "../containers/open-container.ts";
import { objectRanges } from "../containers/stored-ranges.ts";
import { movieOfMatroska } from "../output/matroska-movie.ts";
import { movieParts } from "../output/movie-assembly.ts";
import { RenderedPackets } from "../output/rendered-packets.ts";
import { storeThumbnail } from "../output/thumbnail.ts";
import { webmParts } from "../output/webm-assembly.ts";
import { loadPlan, type StepContext } from "../tasks/step-context.ts";
import { SoundMuting } from "../sound/sound-muting.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import { keepMutedSound } from "../../../records/masking/media-sound.repository.ts";
import { STORAGE_RETRY, withRetry } from "../../../ground/platform/retry.ts";
import { ffmpegEngine } from "../engine/ffmpeg-engine.ts";
import { listedSound, rangesToMute, type MutedParts } from "../sound/muted-ranges.ts";
import { heardSpeech } from "./listen.ts";
import { durationSecondsOf } from "./plan-segments.ts";

/** Writes the output and its thumbnail, and stores which parts of the sound are muted. */
export async function assembleVideo(context: StepContext): Promise<StoredOutput> {
  const plan = await loadPlan(context);
  const rendered = await RenderedPackets.open(context, plan);
  const { muting, keep } = await outputMuting(context, plan);
  const output = await writeOutput(context, { plan, rendered, muting });
  await keep();
  await storeThumbnail(context, { plan, rendered, isWebm: context.row.format === "webm" });
  return output;
}

/** Writes the encoded frames at the source's times, and the source's audio. */
async function writeOutput(
  { config, database, row, order, signal }: StepContext,
  { plan, rendered, muting }: { plan: VideoPlan; rendered: RenderedPackets; muting: SoundMuting | undefined },
): Promise<StoredOutput> {
  const owned = { accountId: row.accountId, mediaId: row.id };
  const opened = await openSource(
    objectRanges(config.MEDIA, sourceKey(order.source)),
    plan.storedBytes ?? row.fileSizeBytes,
  );
  const key = outputKey(owned);
  // An earlier attempt may have died during its upload.
  if (row.outputUploadId !== null) await abortMultipartUpload(config.MEDIA, key, row.outputUploadId);
  const writer = new OutputWriter(config.MEDIA, key, async (uploadId) => {
    await noteOutputUpload(database, { ...owned, leaseId: row.leaseId ?? "" }, uploadId);
  });
  try {
    const isMuted = order.options.audio === "mute";
    const source = { ...opened, plan, rendered, isMuted, muting };
    for await (const part of partsOf(source, row.format)) {
      signal.throwIfAborted();
      await writer.write(part);
    }
    return await writer.finish();
  } catch (error) {
    await writer.abort();
    throw error;
  } finally {
    opened.container.dispose();
  }
}

type Source = Parameters<typeof webmParts>[0] & OpenSource;

/** The output piece by piece, depending on the source's container and the output's format. */
function partsOf(source: Source, format: MediaFormat): AsyncIterable<Uint8Array> {
  if (format === "webm") return webmParts(source);
  if (source.kind === "matroska") return movieOfMatroska(source);
  return movieParts({ ...source, isQuickTime: format === "quicktime" });
}

/** The muting of a video's output, and what to do once the output is written. */
interface OutputMuting {
  /** Undefined if no sound is muted, or all of it is left out. */
  readonly muting: SoundMuting | undefined;
  /** Stores what is muted. */
  readonly keep: () => Promise<void>;
}

const NOTHING: MutedParts = { requested: [], speech: [] };

/** Decides which parts of the sound an output mutes. @throws as `heardSpeech` does */
async function outputMuting(context: StepContext, plan: VideoPlan): Promise<OutputMuting> {
  const { database, row, order, signal } = context;
  const isSpeechMuted = order.options.audio === "mute_speech";
  const parts: MutedParts = {
    requested: order.options.muteRanges,
    speech: isSpeechMuted ? await heardSpeech(context, plan) : [],
  };
  const ranges = rangesToMute(parts, (plan.frameTicks[0] ?? 0) / plan.ticksPerSecond);
  const isAllMuted = order.options.audio === "mute";
  const silentCodec = row.format === "webm" ? "opus" : "aac";
  const muting =
    isAllMuted || (ranges.length === 0 && !isSpeechMuted)
      ? undefined
      : new SoundMuting({ ranges, isSpeechMuted }, { engine: ffmpegEngine, signal }, silentCodec);
  return {
    muting,
    keep: async () => {
      const listed = listedSound(isAllMuted ? NOTHING : parts, {
        isTrackSilenced: isAllMuted || muting?.isTrackSilenced === true,
        isToneMissing: muting?.isToneMissing === true,
        durationSeconds: durationSecondsOf(plan),
      });
      if (listed.length === 0) return;
      const owned = { accountId: row.accountId, mediaId: row.id };
      await withRetry(STORAGE_RETRY, async () => await keepMutedSound(database, owned, listed));
    },
  };
}
