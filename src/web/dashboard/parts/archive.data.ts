import type { ArchiveFacts, FileNotes } from "../../../records/media/archive-manifest.ts";
import type { MediaRow } from "../../../records/media/media.repository.ts";
import { StoredDataError } from "../../../ground/platform/stored-data.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import {
  countPhotoMasks,
  findApprovals,
  findSeenInFull,
  type Approval,
} from "../../../records/review/archive-facts.repository.ts";
import { findNotes } from "../../../records/review/review-notes.repository.ts";
import { listedDetections } from "../../../records/video-tasks/listed-detections.ts";

/** The data of an archive's manifest about an account's files. */
export async function archiveFacts(
  config: Pick<ApiEnv, "DB" | "MEDIA">,
  accountId: string,
  rows: readonly MediaRow[],
): Promise<ReadonlyMap<string, ArchiveFacts>> {
  const database = openDatabase(config.DB, "primary");
  const ids = rows.map(({ id }) => id);
  const [approvals, counts, notes] = await Promise.all([
    findApprovals(database, accountId, ids),
    countPhotoMasks(database, accountId, ids),
    archiveNotes(config, accountId, rows),
  ]);
  const seen = await findSeenInFull(database, accountId, approvals);
  const masks = new Map<string, ArchiveFacts["masks"]>(
    counts.map(({ mediaId, ...count }) => [mediaId, count]),
  );
  for (const row of rows)
    if (row.mediaType === "video") masks.set(row.id, await countVideoMasks(config, row));
  return new Map(
    ids.map((id) => {
      const found = approvalOf(id, approvals);
      const approval =
        found === undefined
          ? null
          : { by: found.by, atMs: found.atMs, isSeenInFull: seen.get(found.mediaId) };
      return [id, { masks: masks.get(id) ?? null, approval, notes: notes.get(id) ?? [] }];
    }),
  );
}

/** Notes about an account's files, as an archive's manifest lists them. */
export async function archiveNotes(
  config: Pick<ApiEnv, "DB">,
  accountId: string,
  rows: readonly MediaRow[],
): Promise<ReadonlyMap<string, FileNotes>> {
  const ids = rows.map(({ id }) => id);
  const notes = await findNotes(openDatabase(config.DB, "primary"), accountId, ids);
  return Map.groupBy(notes, ({ mediaId }) => mediaId);
}

/** A decision that created this file takes precedence over one about it. */
export function approvalOf(id: string, approvals: readonly Approval[]): Approval | undefined {
  return (
    approvals.find(({ resultMediaId }) => resultMediaId === id) ??
    approvals.find(({ mediaId, resultMediaId }) => mediaId === id && resultMediaId === null)
  );
}

async function countVideoMasks(
  { MEDIA }: Pick<ApiEnv, "MEDIA">,
  { id, accountId }: MediaRow,
): Promise<ArchiveFacts["masks"]> {
  const count = { detected: 0, requested: 0 };
  try {
    for await (const { origin, redacted } of listedDetections(MEDIA, { accountId, mediaId: id }))
      if (redacted) count[origin === "request" ? "requested" : "detected"] += 1;
  } catch (error) {
    if (error instanceof StoredDataError) return null;
    throw error;
  }
  return count;
}
