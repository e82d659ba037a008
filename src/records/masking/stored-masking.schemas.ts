import { z } from "zod";
import type { StoredDetection } from "../media/detections.ts";
import { REDACTION_CATEGORIES } from "../../ground/vocabulary/categories.ts";
import { MUTE_SOUNDS } from "./media-sound.ts";
import { AUDIO_MODES, SENSITIVITIES, type MaskingOptions, type RequestedRegion } from "./masking-options.ts";

/**
 * Schemas of data that the service itself wrote. They are strict: if the stored data is invalid, nothing is painted, rather
 * than something else than what was requested.
 */
const extent = z.number().min(0);
const boxSchema = z.tuple([z.number(), z.number(), extent, extent]);
const polygonSchema = z.array(z.tuple([z.number(), z.number()])).min(3);
const categorySchema = z.enum(REDACTION_CATEGORIES);

const sightingSchema = z.object({
  box: boxSchema,
  polygon: polygonSchema.optional(),
  confidence: z.number().nullable(),
});

/** The detections of a photo, as stored in a row. */
export const storedDetectionsSchema: z.ZodType<StoredDetection[]> = z.array(
  sightingSchema.extend({
    id: z.string(),
    category: categorySchema.nullable(),
    isRequested: z.boolean().optional(),
    isOpen: z.boolean().optional(),
    isOpenByDefault: z.boolean().optional(),
    reason: z.string().nullish(),
    seen: z.array(sightingSchema).optional(),
  }),
);

const regionSchema: z.ZodType<RequestedRegion> = z.object({
  id: z.string().optional(),
  isOpen: z.boolean().optional(),
  category: categorySchema.optional(),
  reason: z.string().nullish(),
  box: boxSchema,
  polygon: polygonSchema.optional(),
  startSeconds: z.number().optional(),
  endSeconds: z.number().optional(),
  keyframes: z.array(z.object({ timeSeconds: z.number(), box: boxSchema })).optional(),
});

/** The text of each reason that a photo's detections carry, as stored in a row. */
export const reasonTextsSchema = z.record(z.string(), z.string());

const idsSchema = z.array(z.string());

/** A media item's options beyond the contract, as stored in a row. */
export const storedOptionsSchema: z.ZodType<Partial<MaskingOptions>> = z.object({
  sensitivity: z.enum(SENSITIVITIES).exactOptional(),
  minConfidence: z.union([z.number(), z.partialRecord(categorySchema, z.number())]).exactOptional(),
  regions: z.array(regionSchema).exactOptional(),
  ignoreRegions: z.array(regionSchema).exactOptional(),
  isDetectOnly: z.boolean().exactOptional(),
  audio: z.enum(AUDIO_MODES).exactOptional(),
  muteRanges: z
    .array(z.object({ startSeconds: z.number(), endSeconds: z.number(), sound: z.enum(MUTE_SOUNDS) }))
    .exactOptional(),
  isVerified: z.boolean().exactOptional(),
  choice: z
    .object({ redact: z.union([idsSchema, z.literal(["all", "none"])]), except: idsSchema })
    .exactOptional(),
  reasons: z.record(z.string(), z.string().nullable()).exactOptional(),
  reasonTexts: reasonTextsSchema.exactOptional(),
  defaultReasons: z.partialRecord(categorySchema, z.string()).exactOptional(),
  burnsInReasons: z.boolean().exactOptional(),
});
