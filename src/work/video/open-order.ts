import { JobError } from "../../ground/platform/job-error.ts";
import { StoredDataError } from "../../ground/platform/stored-data.ts";
import { findOrder, type MaskingOrder } from "../../records/masking/masking-options.repository.ts";
import { findMediaById, type MediaRow } from "../../records/media/media.repository.ts";
import type { Database } from "../../ground/platform/database.ts";

/**
 * Runs `work` with the order of a video's job.
 *
 * @throws JobError if the job needs the source or analysis of another media item that is gone, which no retry can change
 */
export async function withOrder(
  database: Database,
  row: MediaRow,
  work: (order: MaskingOrder) => Promise<void>,
): Promise<void> {
  const order = await openOrder(database, row);
  try {
    await work(order);
  } catch (error) {
    // The data that a revision needs is deleted together with its source or analysis. Checking the order again reports that
    // cause.
    if (error instanceof StoredDataError) await openOrder(database, row);
    throw error;
  }
}

async function openOrder(database: Database, { id, accountId }: MediaRow): Promise<MaskingOrder> {
  const order = await findOrder(database, { accountId, mediaId: id });
  if (order.source.mediaId === id) return order;
  const [first, analysed] = await Promise.all([
    findMediaById(database, order.source.mediaId),
    findMediaById(database, order.analysis.mediaId),
  ]);
  if (first === undefined || first.sourceDeletedAt !== null || analysed === undefined)
    throw new JobError("source_missing", true);
  return order;
}
