import { requestedId } from "../masking/detection-ids.ts";
import { isHiddenByChoice } from "../masking/detection-choice.ts";
import { findOrder } from "../masking/masking-options.repository.ts";
import type { MaskingOptions, RequestedRegion } from "../masking/masking-options.ts";
import { lateFaultsOf } from "../masking/region-sentences.ts";
import type { MediaOwnership, MediaRow } from "../media/media.repository.ts";
import type { Database } from "../platform/database.ts";
import { listedDetections } from "../video/tasks/listed-detections.ts";
import { unknownIds } from "./chosen-detections.ts";
import type { RevisionOrder } from "./revision.schemas.ts";

/** A video to revise, and the order. */
export interface VideoRevision {
  readonly parent: MediaRow;
  readonly order: RevisionOrder;
  /** The ID of the new media item. */
  readonly mediaId: string;
}

/**
 * The errors in the order of a video's revision. Detections are read one by one, and only if the order names any, because there
 * may be very many.
 */
export async function faultsOfVideoOrder(
  bucket: R2Bucket,
  { parent, order }: VideoRevision,
): Promise<{ readonly unknown: ReturnType<typeof unknownIds>; readonly regions: readonly string[] }> {
  const isNaming = typeof order.redact !== "string" || order.except.length > 0;
  const known: { id: string }[] = [];
  const owned = { accountId: parent.accountId, mediaId: parent.id };
  if (isNaming) for await (const { id } of listedDetections(bucket, owned)) known.push({ id });
  return {
    unknown: unknownIds(order, known),
    regions: lateFaultsOf("regions", order.regions, parent.durationSeconds),
  };
}

/**
 * The options of a video's revision: its choice among the detections, and all regions requested for the revised versions, with
 * their IDs and whether they stay hidden.
 */
export async function optionsOfVideoRevision(
  database: Database,
  { parent, order, mediaId }: VideoRevision,
): Promise<Partial<MaskingOptions>> {
  const owned: MediaOwnership = { accountId: parent.accountId, mediaId: parent.id };
  const before = (await findOrder(database, owned)).options;
  const isHidden = isHiddenByChoice(order);
  const keep = (region: RequestedRegion, index: number): RequestedRegion => {
    const id = region.id ?? requestedId(owned, index);
    return { ...region, id, isOpen: isHidden({ id }) ? undefined : true };
  };
  const regions = [
    ...before.regions.map(keep),
    ...order.regions.map((region, index) => ({ ...region, id: requestedId({ mediaId }, index) })),
  ];
  return {
    audio: order.audio ?? before.audio,
    ...(before.isVerified !== undefined && { isVerified: before.isVerified }),
    regions,
    choice: { redact: order.redact, except: order.except },
  };
}
