import { requestedId } from "../../records/masking/detection-ids.ts";
import { isHiddenByChoice } from "../../records/masking/detection-choice.ts";
import { findOrder } from "../../records/masking/masking-options.repository.ts";
import type { MaskingOptions, RequestedRegion } from "../../records/masking/masking-options.ts";
import { codesOfRegions, textsOfCodes } from "../../records/masking/mask-reasons.ts";
import { lateRangeFaults } from "../../records/masking/mute-range.schemas.ts";
import { lateFaultsOf } from "../../records/masking/region-sentences.ts";
import type { MediaOwnership, MediaRow } from "../../records/media/media.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { FieldErrors } from "../../ground/platform/errors.ts";
import type { ReasonTexts } from "../../records/masking/reasons.schemas.ts";
import { listedDetections } from "../../records/video-tasks/listed-detections.ts";
import { unknownIds } from "./chosen-detections.ts";
import { reasonsForRevision } from "./revision-reasons.ts";
import type { RevisionOrder } from "./revision.schemas.ts";

/** A video to revise, and the order. */
export interface VideoRevision {
  readonly parent: MediaRow;
  readonly order: RevisionOrder;
  /** The ID of the new media item. */
  readonly mediaId: string;
}

/**
 * The errors in the order of a video's revision, and the texts of the reasons that the revised version carries. Detections are read
 * one by one, and only if the order names any or a reason, because there may be very many.
 */
export async function faultsOfVideoOrder(
  bucket: R2Bucket,
  { parent, order }: VideoRevision,
): Promise<{
  readonly unknown: ReturnType<typeof unknownIds>;
  readonly regions: readonly string[];
  readonly muteRanges: readonly string[];
  readonly kept: ReasonTexts;
}> {
  const isNaming =
    typeof order.redact !== "string" ||
    order.except.length > 0 ||
    Object.keys(order.reasons ?? {}).length > 0 ||
    codesOfRegions(order.regions).length > 0;
  const known: { id: string }[] = [];
  const kept: Record<string, string> = {};
  const owned = { accountId: parent.accountId, mediaId: parent.id };
  if (isNaming)
    for await (const { id, reason } of listedDetections(bucket, owned)) {
      known.push({ id });
      if (reason !== undefined) kept[reason.code] = reason.text;
    }
  return {
    kept,
    unknown: unknownIds(order, known),
    regions: lateFaultsOf("regions", order.regions, parent.durationSeconds),
    muteRanges: lateRangeFaults("mute_ranges", order.muteRanges ?? [], parent.durationSeconds),
  };
}

/**
 * The options of a video's revision: its choice among the detections, all regions requested for the revised versions, with
 * their IDs and whether they stay hidden, and the reasons. `faults` are the errors of the reasons in the order.
 */
export async function optionsOfVideoRevision(
  database: Database,
  { parent, order, mediaId }: VideoRevision,
  kept: ReasonTexts,
): Promise<{ readonly options: Partial<MaskingOptions>; readonly faults: FieldErrors }> {
  const owned: MediaOwnership = { accountId: parent.accountId, mediaId: parent.id };
  const before = (await findOrder(database, owned)).options;
  const { source, faults, burnsInReasons } = await reasonsForRevision(database, {
    parent,
    order,
    kept: { ...kept, ...before.reasonTexts },
  });
  const reasons = { ...before.reasons, ...order.reasons };
  const isHidden = isHiddenByChoice(order);
  const keep = (region: RequestedRegion, index: number): RequestedRegion => {
    const id = region.id ?? requestedId(owned, index);
    const reason = Object.hasOwn(reasons, id) ? reasons[id] : region.reason;
    return { ...region, id, reason, isOpen: isHidden({ id }) ? undefined : true };
  };
  const regions = [
    ...before.regions.map(keep),
    ...order.regions.map((region, index) => ({ ...region, id: requestedId({ mediaId }, index) })),
  ];
  const codes = [...Object.values(reasons), ...regions.map(({ reason }) => reason)];
  const used = [...codes, ...Object.values(source.defaults)].filter((code) => typeof code === "string");
  const muteRanges = order.muteRanges ?? before.muteRanges;
  const options = {
    audio: order.audio ?? before.audio,
    ...(muteRanges.length > 0 && { muteRanges }),
    ...(before.isVerified !== undefined && { isVerified: before.isVerified }),
    regions,
    choice: { redact: order.redact, except: order.except },
    ...(used.length > 0 && {
      reasons,
      reasonTexts: textsOfCodes(used, source.texts),
      defaultReasons: source.defaults,
    }),
    ...(burnsInReasons && { burnsInReasons }),
  };
  return { options, faults };
}
