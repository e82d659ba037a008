import { JobError } from "../jobs/job-error.ts";
import { StoredDataError } from "../jobs/stored-data.ts";
import { findOrder, type MaskingOrder } from "../masking/masking-options.repository.ts";
import { findMediaById, type MediaRow } from "../media/media.repository.ts";
import type { Database } from "../platform/database.ts";

/**
 * Does what a video's job is to do.
 *
 * @throws JobError when it is a revision and the source that it is made from is gone, which no other try can change
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
    // What a revision is made from goes with its source, and then that is what has happened.
    if (error instanceof StoredDataError) await openOrder(database, row);
    throw error;
  }
}

async function openOrder(database: Database, { id, accountId }: MediaRow): Promise<MaskingOrder> {
  const order = await findOrder(database, { accountId, mediaId: id });
  if (!order.isRevision) return order;
  const first = await findMediaById(database, order.source.mediaId);
  if (first === undefined || first.sourceDeletedAt !== null) throw new JobError("source_missing", true);
  return order;
}
