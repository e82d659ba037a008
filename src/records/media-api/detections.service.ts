import { swapsSides } from "../../pixels/geometry/orientation.ts";
import { findMediaSound } from "../masking/media-sound.repository.ts";
import { findInspected, type InspectedMedia } from "../masking/photo-detections.repository.ts";
import { hasEnded } from "../media/media.states.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import { noSuchMedia } from "../media/media.service.ts";
import { isoDateTime, nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { notFound } from "../../ground/platform/errors.ts";
import type { DetectionsFilter } from "./detections-filter.ts";
import type { DetectionsResponse } from "./detections.schemas.ts";
import { shownSound } from "./shown-sound.ts";
import { shownDetection } from "./shown-detections.ts";

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
