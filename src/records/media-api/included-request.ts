import { z } from "@hono/zod-openapi";
import { findUploadOptions } from "../masking/masking-options.repository.ts";
import {
  AUDIO_MODES,
  isVerifiedBy,
  SENSITIVITIES,
  type RequestedRegion,
} from "../masking/masking-options.ts";
import { muteRangesResponse, muteRangesSchema } from "../masking/mute-range.schemas.ts";
import { regionSchema } from "../masking/region.schemas.ts";
import { writtenBox } from "../../pixels/geometry/box.ts";
import type { ShownMedia } from "../media/media.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import { REDACTION_CATEGORIES } from "../../ground/vocabulary/categories.ts";

/** Longer options of a media item would make a page of 100 too large for a Worker's memory. */
const MAX_LISTED_CHARACTERS = 16 * 1024;

const confidence = z.number().min(0).max(1);
const regionsSchema = z.array(regionSchema).nullable();

/** The options of an upload, as they are read back. */
export const requestSchema = z
  .strictObject({
    sensitivity: z
      .enum(SENSITIVITIES)
      .openapi({ description: "`normal` unless asked otherwise. `min_confidence` takes its place." }),
    min_confidence: z
      .union([confidence, z.partialRecord(z.enum(REDACTION_CATEGORIES), confidence), z.null()])
      .openapi({
        description: "A threshold for all categories, or thresholds by category; null if none was sent.",
      }),
    regions: regionsSchema.openapi({
      description: `The regions that are always redacted, with five decimals. Null in a list if the options take more than ${MAX_LISTED_CHARACTERS} characters: get the media item by itself.`,
    }),
    ignore_regions: regionsSchema.openapi({
      description:
        "Detections inside these regions stay visible. Coordinates have five decimals. Null in a list if `regions` is null.",
    }),
    detect_only: z
      .boolean()
      .openapi({ description: "Whether detections are stored and no redacted file is written." }),
    audio: z.enum(AUDIO_MODES).openapi({ description: "What happens to the sound. `keep` for images." }),
    mute_ranges: muteRangesSchema
      .optional()
      .openapi({ description: "The ranges that are always muted, merged. Absent if there are none." }),
    verify: z.boolean().openapi({ description: "Whether the redacted file is read again." }),
  })
  .openapi("IncludedRequest");

export type IncludedRequest = z.output<typeof requestSchema>;

/** The options of uploads and retries by media ID. Revisions have no options of their own and are absent. */
export async function findRequests(
  database: Database,
  {
    accountId,
    listed,
    isList,
  }: {
    readonly accountId: string;
    readonly listed: readonly { readonly row: Pick<ShownMedia, "id" | "status" | "mediaType"> }[];
    /** Whether they are a page of a list, in which long options are cut. */
    readonly isList: boolean;
  },
): Promise<Map<string, IncludedRequest>> {
  // The options are stored when the file has arrived.
  const mediaIds = listed.flatMap(({ row }) => (row.status === "pending" ? [] : [row.id]));
  const options = await findUploadOptions(
    database,
    { accountId, mediaIds },
    { maxCharacters: isList ? MAX_LISTED_CHARACTERS : undefined },
  );
  const mediaTypes = new Map(listed.map(({ row }) => [row.id, row.mediaType]));
  return new Map(
    [...options].map(([mediaId, { hasRegions, ...chosen }]): [string, IncludedRequest] => [
      mediaId,
      {
        sensitivity: chosen.sensitivity,
        min_confidence: chosen.minConfidence ?? null,
        regions: hasRegions ? chosen.regions.map(regionResponse) : null,
        ignore_regions: hasRegions ? chosen.ignoreRegions.map(regionResponse) : null,
        detect_only: chosen.isDetectOnly,
        audio: chosen.audio,
        ...(chosen.muteRanges.length > 0 && { mute_ranges: muteRangesResponse(chosen.muteRanges) }),
        verify: isVerifiedBy(chosen, mediaTypes.get(mediaId) ?? "image"),
      },
    ]),
  );
}

/** A region in the form in which it can be sent. */
function regionResponse(region: RequestedRegion): z.output<typeof regionSchema> {
  const { category, box, polygon, startSeconds, endSeconds, keyframes } = region;
  const isBox = polygon === undefined && keyframes === undefined;
  return {
    ...(category !== undefined && { category }),
    ...(isBox && { box: writtenBox(box) }),
    ...(polygon !== undefined && { polygon: polygon.map(([x, y]): [number, number] => [x, y]) }),
    ...(startSeconds !== undefined && { start_seconds: startSeconds }),
    ...(endSeconds !== undefined && { end_seconds: endSeconds }),
    ...(keyframes !== undefined && {
      keyframes: keyframes.map((keyframe) => ({
        time_seconds: keyframe.timeSeconds,
        box: writtenBox(keyframe.box),
      })),
    }),
  };
}
