import { swapsSides } from "../detection/orientation.ts";
import { findInspected, type InspectedMedia } from "../masking/photo-detections.repository.ts";
import { hasEnded } from "../media/media.states.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import { noSuchMedia } from "../media/media.service.ts";
import { isoDateTime, nowMs } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import { notFound } from "../platform/errors.ts";
import type { DetectionsFilter } from "./detections-filter.ts";
import type { DetectionsResponse } from "./detections.schemas.ts";
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
  const inspected = await findInspected(database, owned);
  if (inspected === undefined) throw noSuchMedia();
  const { row, revisionOf, found } = inspected;
  if (row.status !== "completed")
    throw notFound(
      hasEnded(row.status)
        ? `This media item ended as ${row.status}, so it has no detections.`
        : `This media item is ${row.status}. Its detections are listed once it is completed.`,
    );
  const detections = found?.detections.map((thing) => shownDetection(thing, found.orientation)) ?? [];
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
  };
}

/** Until when the source of a media item can be used again; null if it is deleted or due for deletion. */
export function sourceAvailableUntil({ source }: Pick<InspectedMedia, "source">): number | null {
  if (source === null || source.sourceDeletedAt !== null || source.sourceExpiresAt === null) return null;
  return source.sourceExpiresAt > nowMs() ? source.sourceExpiresAt : null;
}
