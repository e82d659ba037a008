import { findInspected, type InspectedMedia } from "../../records/masking/photo-detections.repository.ts";
import type { PhotoDetections } from "../../records/media/detections.ts";
import type { MediaOwnership } from "../../records/media/media.repository.ts";
import { noSuchMedia } from "../../records/media/media.service.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { findKept, type KeptWork } from "../../records/video-tasks/kept-work.ts";
import { sourceAvailableUntil } from "../../records/media-api/detections.service.ts";
import { StoredDataError } from "../../ground/platform/stored-data.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { detectionsUnknown, notCompleted, sourceDeleted } from "./revision.errors.ts";

/** A media item that can be revised. */
export interface Revisable extends InspectedMedia {
  readonly source: NonNullable<InspectedMedia["source"]>;
  readonly found: PhotoDetections;
  /** What revisions of a video need besides its source. */
  readonly kept: KeptWork | undefined;
}

/** Runs a function that reads a media item's stored data. @throws VeilError 409 if that data cannot be read */
export async function fromStored<T>(mediaId: string, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof StoredDataError)) throw error;
    log("error", "revision.stored_data_unreadable", { mediaId, ...errorFields(error) });
    throw detectionsUnknown();
  }
}

/** A media item that can be revised. @throws VeilError 404 or 409 if it cannot */
export async function findRevisable(
  { MEDIA }: Pick<ApiEnv, "MEDIA">,
  database: Database,
  owned: MediaOwnership,
): Promise<Revisable> {
  const inspected = await findInspected(database, owned);
  if (inspected === undefined) throw noSuchMedia();
  const { row, source, found } = inspected;
  if (row.status !== "completed") throw notCompleted(row.status);
  if (source === null || sourceAvailableUntil(inspected) === null) throw sourceDeleted();
  if (found === null) throw detectionsUnknown();
  const isVideo = row.mediaType === "video";
  const kept = isVideo
    ? await findKept(MEDIA, { accountId: owned.accountId, mediaId: inspected.analysisId })
    : undefined;
  if (isVideo && kept === undefined) throw detectionsUnknown();
  return { ...inspected, source, found, kept };
}
