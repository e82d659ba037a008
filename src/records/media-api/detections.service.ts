import { swapsSides } from "../../pixels/geometry/orientation.ts";
import { findMediaSound, type MediaSound } from "../masking/media-sound.repository.ts";
import { findInspected, type InspectedMedia } from "../masking/photo-detections.repository.ts";
import { hasEnded } from "../media/media.states.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import { noSuchMedia } from "../media/media.service.ts";
import { isoDateTime, nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { notFound } from "../../ground/platform/errors.ts";
import type { DetectionsFilter } from "./detections-filter.ts";
import type { DetectionsResponse } from "./detections.schemas.ts";
import { shownDetection } from "./shown-detections.ts";
import { mergedRanges } from "../masking/media-sound.ts";

/**
 * The detections of a media item. For a video, everything except the detections, which `detectionsStream` adds.
 *
 * @throws VeilError 404 if the account has no such media item or it is not completed
 */
export async function describeDetections(
  database: Database,
  owned: MediaOwnership,
  isListed?: DetectionsFilter,
): Promise<DetectionsResponse> {
  const inspected = await findCompleted(database, owned, {
    none: "so it has no detections",
    later: "Its detections are listed",
  });
  const { row, revisionOf, found } = inspected;
  const detections = found?.detections.map((thing) => shownDetection(thing, found)) ?? [];
  const sound = row.mediaType === "video" ? shownSound(await findMediaSound(database, owned)) : [];
  const isTurned = found !== null && swapsSides(found.orientation);
  return {
    media_id: row.id,
    width: isTurned ? row.heightPixels : row.widthPixels,
    height: isTurned ? row.widthPixels : row.heightPixels,
    duration_seconds: row.durationSeconds,
    source_available_until: isoDateTime(sourceAvailableUntil(inspected)),
    revision_of: revisionOf,
    detections: isListed === undefined ? detections : detections.filter(isListed),
    truncated: found?.isTruncated ?? true,
    ...(sound.length > 0 && { sound }),
  };
}

/**
 * A completed media item with its detections.
 *
 * @param sentences what a media item that ended otherwise does not have, and what happens once the item is completed
 * @throws VeilError 404 if the account has no such media item or it is not completed
 */
export async function findCompleted(
  database: Database,
  owned: MediaOwnership,
  sentences: { readonly none: string; readonly later: string },
): Promise<InspectedMedia> {
  const inspected = await findInspected(database, owned);
  if (inspected === undefined) throw noSuchMedia();
  const { status } = inspected.row;
  if (status === "completed") return inspected;
  throw notFound(
    hasEnded(status)
      ? `This media item ended as ${status}, ${sentences.none}.`
      : `This media item is ${status}. ${sentences.later} once it is completed.`,
  );
}

/** Until when the source of a media item can be used again; null if it is deleted or due for deletion. */
export function sourceAvailableUntil({ source }: Pick<InspectedMedia, "source">): number | null {
  if (source === null || source.sourceDeletedAt !== null || source.sourceExpiresAt === null) return null;
  return source.sourceExpiresAt > nowMs() ? source.sourceExpiresAt : null;
}

type ShownSound = NonNullable<DetectionsResponse["sound"]>[number];

/** Speech and muted sound as the API lists them, in order. Found speech is listed whether or not it is muted. */
function shownSound({ muted, speech }: MediaSound): ShownSound[] {
  const silent = mergedRanges(
    muted.map(({ startSeconds, endSeconds }) => ({ startSeconds, endSeconds, sound: "silence" })),
  );
  const isMuted = (startSeconds: number, endSeconds: number): boolean =>
    silent.some((range) => range.startSeconds <= startSeconds && range.endSeconds >= endSeconds);
  // The source's speech may be deleted with its media item. What this version muted of it is stored with the version.
  const known = new Set(speech.map(({ startSeconds }) => startSeconds));
  const shown: ShownSound[] = [
    ...muted
      .filter(({ kind, startSeconds }) => kind !== "speech" || !known.has(startSeconds))
      .map(({ startSeconds, endSeconds, kind, sound }) => {
        return { start_seconds: startSeconds, end_seconds: endSeconds, kind, sound, redacted: true };
      }),
    ...speech.map(({ startSeconds, endSeconds }) => ({
      start_seconds: startSeconds,
      end_seconds: endSeconds,
      kind: "speech" as const,
      sound: "silence" as const,
      redacted: isMuted(startSeconds, endSeconds),
    })),
  ];
  return shown
    .filter(({ end_seconds: end }) => end > 0)
    .map((one) => Object.assign(one, { start_seconds: Math.max(0, one.start_seconds) }))
    .toSorted((a, b) => a.start_seconds - b.start_seconds);
}
