import {
  findVersionMakers,
  type VersionMaker,
} from "../../../records/audit-trail/version-makers.repository.ts";
import { listOtherVersions } from "../../../records/media/media-browse.repository.ts";
import { findMedia, type MediaRow } from "../../../records/media/media.repository.ts";
import { hasEnded } from "../../../records/media/media.states.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import type { Database } from "../../../ground/platform/database.ts";
import type { Box } from "../../../pixels/geometry/box.ts";
import { shownBox } from "../../../pixels/geometry/orientation.ts";
import type { InspectedMedia } from "../../../records/masking/photo-detections.repository.ts";
import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";

/** A version of a file. */
export interface FileVersion {
  readonly row: MediaRow;
  /** Its number among the existing versions; the oldest is 1. */
  readonly number: number;
  /** Whether it is the current version: the newest completed one. */
  readonly isCurrent: boolean;
  /** Undefined if the audit trail no longer says. */
  readonly maker: VersionMaker | undefined;
}

/** All versions of a media item's file, newest first. */
export async function fileVersions(database: Database, row: MediaRow): Promise<FileVersion[]> {
  const { accountId } = row;
  const currentId = row.currentVersionId ?? row.id;
  const [current, others] = await Promise.all([
    currentId === row.id ? row : findMedia(database, { accountId, mediaId: currentId }),
    listOtherVersions(database, accountId, [currentId]),
  ]);
  const rows = [...(current === undefined ? [] : [current]), ...others].toSorted(
    (a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1),
  );
  const searched = rows.map(({ id, requestId, createdAt, processedAt, failedAt }) => ({
    id,
    requestId,
    createdAt,
    endedAt: processedAt ?? failedAt ?? nowMs(),
  }));
  const makers = await findVersionMakers(database, accountId, searched);
  return rows
    .map((version, index) => ({
      row: version,
      number: index + 1,
      isCurrent: version.id === currentId,
      maker: makers.find(({ versionId }) => versionId === version.id),
    }))
    .toReversed();
}

/** The other versions that are not ready yet. */
export function versionsUnderWay(versions: readonly FileVersion[]): readonly FileVersion[] {
  return versions.filter(({ row }) => !hasEnded(row.status));
}

/** The versions that can be viewed, newest first. */
export function versionsToSee(versions: readonly FileVersion[]): readonly FileVersion[] {
  return versions.filter(({ row }) => row.status === "completed" && row.outputSizeBytes !== null);
}

/** One mask. Its box is in 0…1 of the picture as a viewer shows it. */
export interface HiddenThing {
  /** Null for a drawn mask without a category. */
  readonly category: RedactionCategory | null;
  readonly box: Box;
  /** Null for a drawn mask. */
  readonly confidence: number | null;
}

/** The hidden detections of a photo; undefined if they were not stored. */
export function hiddenThingsOf(found: InspectedMedia["found"]): HiddenThing[] | undefined {
  return found?.detections.flatMap(({ category, box, confidence, isOpen }) =>
    isOpen === true ? [] : [{ category, box: shownBox(box, found.orientation), confidence }],
  );
}
