import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { readStoredJson } from "../../ground/platform/stored-data.ts";
import type { PhotoDetections } from "../media/detections.ts";
import type { MediaOwnership, MediaRow } from "../media/media.repository.ts";
import { media, mediaDetections, mediaRevisions } from "../media/media.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import { reasonTextsSchema, storedDetectionsSchema } from "./stored-masking.schemas.ts";

/** A media item with its detections and the state of its source. */
export interface InspectedMedia {
  readonly row: MediaRow;
  /** The media that provided the source, if it is another one. It may have been deleted. */
  readonly revisionOf: string | null;
  /** The media whose analysis this one uses: itself, unless it is a revision. It may have been deleted. */
  readonly analysisId: string;
  /** The media that holds the source, in its current state. Null if it has been deleted. */
  readonly source: Pick<MediaRow, "id" | "sourceExpiresAt" | "sourceDeletedAt"> | null;
  /** The detections of a photo. Null if no detections or orientation were stored. */
  readonly found: PhotoDetections | null;
}

const first = alias(media, "first");

/** A media item of an account with its detections. Undefined if the account has no such media. @throws StoredDataError */
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
      reasonTexts: sql<string | null>`${mediaDetections.reasonTexts}`,
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
  const { detections, orientation, isTruncated, reasonTexts, ...inspected } = result;
  const found =
    detections === null || orientation === null
      ? null
      : {
          detections: readStoredJson(storedDetectionsSchema, detections),
          orientation,
          isTruncated: isTruncated === true,
          reasonTexts: readStoredJson(reasonTextsSchema, reasonTexts ?? "{}"),
        };
  return { ...inspected, found };
}
