import { OPERATOR } from "../../src/records/audit/audit.repository.ts";
import { SETTLE_MS, deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { failureOf } from "../../src/records/media/media-failure.ts";
import { findMediaById, type MediaRow } from "../../src/records/media/media.repository.ts";
import { mediaResponse, type MediaResponse } from "../../src/records/media/media.schemas.ts";
import { isoDateTime } from "../../src/ground/platform/clock.ts";
import { newId } from "../../src/ground/platform/ids.ts";
import { findAnywhere } from "./account-moves.ts";
import type { DatabaseTarget } from "./database.ts";
import { outsideDatabase } from "./outside-connection.ts";

/** A media item of any account in the API's format, with its account and the reason if it failed. */
export async function showMedia(
  target: DatabaseTarget,
  mediaId: string,
): Promise<MediaResponse & { account_id: string; failure_code: string | null }> {
  const { found: row } = await findRow(target, mediaId);
  const { download_url: _, ...shown } = mediaResponse(row, "");
  return { account_id: row.accountId, ...shown, failure_code: failureOf(row)?.code ?? null };
}

/**
 * Deletes a media item of any account as the API does, with everything that names it, the event and the audit entry. This process cannot
 * reach the objects. The sweeper deletes them in its first run after no job can write them anymore.
 *
 * @returns the time from which the sweeper deletes the files
 */
export async function deleteMediaOfAny(
  target: DatabaseTarget,
  mediaId: string,
): Promise<{ mediaId: string; accountId: string; deleted: true; filesRemovedFrom: string }> {
  const { found: row, home } = await findRow(target, mediaId);
  const { accountId } = row;
  const nowMs = Date.now();
  const requestId = newId("request");
  const settledAtMs = Math.max(nowMs, (row.processedAt ?? row.failedAt ?? nowMs) + SETTLE_MS);
  const removed = await deleteMedia(
    outsideDatabase(home),
    { accountId, mediaId },
    { nowMs, settledAtMs, requestId, deed: { accountId, actor: OPERATOR, requestId, nowMs } },
  );
  if (removed === undefined) throw noMedia(mediaId);
  return { mediaId, accountId, deleted: true, filesRemovedFrom: isoDateTime(settledAtMs) };
}

async function findRow(
  target: DatabaseTarget,
  mediaId: string,
): Promise<{ readonly found: MediaRow; readonly home: DatabaseTarget }> {
  const found = await findAnywhere(
    target,
    async (database) => await findMediaById(database, mediaId),
    ({ accountId }) => accountId,
  );
  if (found === undefined) throw noMedia(mediaId);
  return found;
}

function noMedia(mediaId: string): Error {
  return new Error(`There is no media ${mediaId}.`);
}
