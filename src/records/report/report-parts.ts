import type { MaskingOptions } from "../masking/masking-options.ts";
import { findMediaSound } from "../masking/media-sound.repository.ts";
import type { MediaOwnership, MediaRow } from "../media/media.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { DetectionResponse } from "../media-api/detections.schemas.ts";
import { describeVerification } from "../verification/verification.service.ts";
import type { Report } from "./report.schemas.ts";

/** The reason of a mask, as its code and text; null if there is none. */
export function reasonOf({ reason }: Pick<DetectionResponse, "reason">): string | null {
  return reason === undefined ? null : `${reason.code}: ${reason.text}`;
}

/** What a second reading of the output of a completed media item found. */
export async function verificationOf(
  database: Database,
  owned: MediaOwnership,
): Promise<Report["verification"]> {
  const { status, looked_at, findings } = await describeVerification(database, owned);
  return { status, looked_at, findings };
}

/** What is muted in the output of a media item. Videos from before this was stored have only their options. */
export async function soundOf(
  database: Database,
  { accountId, id, mediaType, durationSeconds }: MediaRow,
  { audio, isDetectOnly }: Pick<MaskingOptions, "audio" | "isDetectOnly">,
): Promise<Report["sound"]> {
  if (mediaType === "image") return [];
  const { muted } = await findMediaSound(database, { accountId, mediaId: id });
  if (muted.length === 0 && audio === "mute" && !isDetectOnly && durationSeconds !== null)
    return [{ start_seconds: 0, end_seconds: durationSeconds, kind: "whole_track", sound: "silence" }];
  return muted.map(({ startSeconds, endSeconds, kind, sound }) => ({
    start_seconds: startSeconds,
    end_seconds: endSeconds,
    kind,
    sound,
  }));
}
