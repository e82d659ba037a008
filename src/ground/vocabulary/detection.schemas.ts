import { z } from "zod";
import { REDACTION_CATEGORIES } from "./categories.ts";

const fraction = z.number().min(-0.01).max(1.01);
const length = z.number().min(0).max(1.02);

/** One detection. Coordinates are fractions of the stored, unrotated picture. */
export const detectionSchema = z.object({
  category: z.enum(REDACTION_CATEGORIES),
  confidence: z.number().min(0).max(1),
  /** Left, top, width, height. */
  box: z.tuple([fraction, fraction, length, length]).readonly(),
  polygon: z
    .array(z.tuple([fraction, fraction]).readonly())
    .min(3)
    .readonly()
    .optional(),
  /** The confidence of both looks together. Only some sightings in frames of videos have it. */
  second_look: z.number().min(0).max(1).optional(),
  /** Whether it is below the threshold. Candidates are returned only on request, and are hidden only if a person chooses them. */
  candidate: z.boolean().optional(),
});

export type Detection = z.output<typeof detectionSchema>;

/** The detections in one frame, and the frame's stored size in pixels. */
const frameDetectionsSchema = z.object({
  width: z.int().positive(),
  height: z.int().positive(),
  detections: z.array(detectionSchema),
});

export type FrameDetections = z.output<typeof frameDetectionsSchema>;

/** A model by its name, version and the SHA-256 of its weights. */
export const modelIdentitySchema = z.object({ id: z.string(), version: z.string(), sha256: z.string() });

export type ModelIdentity = z.output<typeof modelIdentitySchema>;

/** The inference service's answer to `POST /v1/detections`. */
export const inferenceAnswerSchema = z.object({
  frames: z.array(frameDetectionsSchema),
  /** The models that analyzed the pictures. An older service does not name them. */
  models: z.array(modelIdentitySchema).default([]),
});

/** The inference service's answer to `GET /v1/models`. */
export const inferenceModelsSchema = z.object({
  categories: z.array(z.string()),
  /** The served models, for people to read. */
  models: z
    .array(
      z.object({
        id: z.string(),
        version: z.string(),
        sha256: z.string(),
        device: z.string(),
        categories: z.array(z.string()),
      }),
    )
    .optional()
    .catch(undefined),
  /** The confidence from which each category counts, by sensitivity. */
  thresholds: z
    .record(z.enum(["low", "normal", "high"]), z.partialRecord(z.enum(REDACTION_CATEGORIES), z.number()))
    .optional(),
});

/** A model that the detector serves. */
export type ServedModel = NonNullable<InferenceModels["models"]>[number];

export type InferenceModels = z.output<typeof inferenceModelsSchema>;

/** The inference service's answer to a request that it refuses: sentences by field. */
export const inferenceRefusalSchema = z.object({
  error: z.object({ details: z.record(z.string(), z.unknown()) }),
});
