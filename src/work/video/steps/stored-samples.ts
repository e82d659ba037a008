import { z } from "zod";
import { detectionSchema } from "../../../ground/vocabulary/detection.schemas.ts";
import type { FrameSample } from "../tracks/frame-sample.ts";

const sightingSchema = detectionSchema
  .omit({ second_look: true })
  .extend({ confirmed: z.boolean().optional() });

/** The detections in the sampled frames of a segment, as its analysis stores them. */
export const samplesSchema: z.ZodType<FrameSample[]> = z.array(
  z.object({ frameIndex: z.int().min(0), detections: z.array(sightingSchema) }),
);
