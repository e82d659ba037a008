import { JobError } from "../jobs/job-error.ts";
import { StoredDataError } from "../jobs/stored-data.ts";
import { findOrder, type MaskingOrder } from "../masking/masking-options.repository.ts";
import { findMediaById, type MediaRow } from "../media/media.repository.ts";
import type { Database } from "../platform/database.ts";

/**
 * Does what a video's job is to do.
 *
 * @throws JobError when the source or the analysis of another media is to be used and that is gone, which no other try can change
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
    // What a revision is made from goes with its source or its analysis, and then that is what has happened.
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
