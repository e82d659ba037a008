import { z } from "zod";
import { detectionSchema } from "../../../ground/vocabulary/detection.schemas.ts";

const sightingSchema = detectionSchema
  .omit({ second_look: true })
  .extend({ confirmed: z.boolean().optional() });

/** The detections in the sampled frames of a segment, as its analysis stores them. */
export const samplesSchema = z.array(
  z.object({ frameIndex: z.int().min(0), detections: z.array(sightingSchema) }),
);

export type Samples = z.output<typeof samplesSchema>;
