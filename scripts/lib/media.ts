import { OPERATOR } from "../../src/records/audit/audit.repository.ts";
import { SETTLE_MS, deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { failureOf } from "../../src/records/media/media-failure.ts";
import { findMediaById, type MediaRow } from "../../src/records/media/media.repository.ts";
import { mediaResponse, type MediaResponse } from "../../src/records/media/media.schemas.ts";
import { isoDateTime } from "../../src/ground/platform/clock.ts";
import { newId } from "../../src/ground/platform/ids.ts";
import type { DatabaseTarget } from "./database.ts";
import { outsideDatabase } from "./outside-connection.ts";

/** A media of any account, as the API shows it to its own, with whose it is and why it failed. */
export async function showMedia(
  target: DatabaseTarget,
  mediaId: string,
): Promise<MediaResponse & { account_id: string; failure_code: string | null }> {
  const row = await findRow(target, mediaId);
  const { download_url: _, ...shown } = mediaResponse(row, "");
  return { account_id: row.accountId, ...shown, failure_code: failureOf(row)?.code ?? null };
}

/**
 * Deletes a media of any account as the API does: its record, what names it, the event that tells of it, the entry in the account's
 * trail. Objects cannot be reached from here. The sweeper removes them: with its next run once no job can write them any more.
 *
 * @returns from when on the sweeper removes the files
 */
export async function deleteMediaOfAny(
  target: DatabaseTarget,
  mediaId: string,
): Promise<{ mediaId: string; accountId: string; deleted: true; filesRemovedFrom: string }> {
  const row = await findRow(target, mediaId);
  const { accountId } = row;
  const nowMs = Date.now();
  const requestId = newId("request");
  const settledAtMs = Math.max(nowMs, (row.processedAt ?? row.failedAt ?? nowMs) + SETTLE_MS);
  const removed = await deleteMedia(
    outsideDatabase(target),
    { accountId, mediaId },
    { nowMs, settledAtMs, requestId, deed: { accountId, actor: OPERATOR, requestId, nowMs } },
  );
  if (removed === undefined) throw noMedia(mediaId);
  return { mediaId, accountId, deleted: true, filesRemovedFrom: isoDateTime(settledAtMs) };
}

async function findRow(target: DatabaseTarget, mediaId: string): Promise<MediaRow> {
  const row = await findMediaById(outsideDatabase(target), mediaId);
  if (row === undefined) throw noMedia(mediaId);
  return row;
}

function noMedia(mediaId: string): Error {
  return new Error(`There is no media ${mediaId}.`);
}
