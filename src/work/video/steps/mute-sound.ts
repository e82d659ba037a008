import { keepMutedSound } from "../../../records/masking/media-sound.repository.ts";
import { STORAGE_RETRY, withRetry } from "../../../ground/platform/retry.ts";
import { ffmpegEngine } from "../engine/ffmpeg-engine.ts";
import { listedSound, rangesToMute, type MutedParts } from "../sound/muted-ranges.ts";
import { SoundMuting } from "../sound/sound-muting.ts";
import { heardSpeech } from "./listen.ts";
import type { StepContext } from "../tasks/step-context.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import { durationSecondsOf } from "./plan-segments.ts";

/** The muting of a video's output, and what to do once the output is written. */
export interface OutputMuting {
  /** Undefined if no sound is muted, or all of it is left out. */
  readonly muting: SoundMuting | undefined;
  /** Stores what is muted. */
  readonly keep: () => Promise<void>;
}

const NOTHING: MutedParts = { requested: [], speech: [] };

/** Decides which parts of the sound an output mutes. @throws as `heardSpeech` does */
export async function outputMuting(context: StepContext, plan: VideoPlan): Promise<OutputMuting> {
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
