import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { readStoredJson } from "../jobs/stored-data.ts";
import type { StoredDetection } from "../media/detections.ts";
import { mediaDetections } from "../media/detections.table.ts";
import type { MediaOwnership, MediaRow } from "../media/media.repository.ts";
import { media } from "../media/media.table.ts";
import type { Database } from "../platform/database.ts";
import type { Orientation } from "../redaction/index.ts";
import { mediaRevisions } from "./revisions.table.ts";
import { storedDetectionsSchema } from "./stored-masking.schemas.ts";

/** A media item with what was found in it, and the state of the source that it was made from. */
export interface InspectedMedia {
  readonly row: MediaRow;
  /** The media whose source this one was made from, where that is another; it may be gone. */
  readonly revisionOf: string | null;
  /** The media whose analysis this one goes by: itself, unless it is a revision. It may be gone. */
  readonly analysisId: string;
  /** The media that keeps the source, as it is now; null when it is gone. */
  readonly source: Pick<MediaRow, "id" | "sourceExpiresAt" | "sourceDeletedAt"> | null;
  /** What was found in a photo; null where nothing was kept of that, or too little to go by. */
  readonly found: {
    readonly detections: readonly StoredDetection[];
    readonly orientation: Orientation;
    readonly isTruncated: boolean;
  } | null;
}

const first = alias(media, "first");

/** A media item of an account with its detections; undefined when the account has no such media. @throws StoredDataError */
export async function findInspected(
  { orm }: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<InspectedMedia | undefined> {
  const [result] = await orm
    .select({
      row: media,
      revisionOf: mediaRevisions.firstMediaId,
      analysisId: sql<string>`coalesce(${mediaRevisions.analysisMediaId}, ${media.id})`,
      source: {
        id: first.id,
        sourceExpiresAt: first.sourceExpiresAt,
        sourceDeletedAt: first.sourceDeletedAt,
      },
      detections: sql<string | null>`${mediaDetections.detections}`,
      orientation: mediaDetections.orientation,
      isTruncated: mediaDetections.isTruncated,
    })
    .from(media)
    .leftJoin(mediaRevisions, eq(mediaRevisions.mediaId, media.id))
    .leftJoin(
      first,
      and(
        eq(first.id, sql`coalesce(${mediaRevisions.firstMediaId}, ${media.id})`),
        eq(first.accountId, media.accountId),
      ),
    )
    .leftJoin(mediaDetections, eq(mediaDetections.mediaId, media.id))
    .where(and(eq(media.id, mediaId), eq(media.accountId, accountId)))
    .limit(1);
  if (result === undefined) return undefined;
  const { detections, orientation, isTruncated, ...inspected } = result;
  const found =
    detections === null || orientation === null
      ? null
      : {
          detections: readStoredJson(storedDetectionsSchema, detections),
          orientation,
          isTruncated: isTruncated === true,
        };
  return { ...inspected, found };
}
