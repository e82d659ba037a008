import { z } from "zod";
import { modelIdentitySchema } from "../../ground/vocabulary/detection.schemas.ts";
import { reasonTextsSchema, storedDetectionsSchema } from "../masking/stored-masking.schemas.ts";
import { REDACTION_CATEGORIES } from "../../ground/vocabulary/categories.ts";
import { FINDING_KINDS, type VerificationDraft, type VerificationFinding } from "./verification.ts";

/** The findings of a second reading, as stored in a row. */
export const storedFindingsSchema: z.ZodType<VerificationFinding[]> = z.array(
  z.object({
    kind: z.enum(FINDING_KINDS),
    category: z.enum(REDACTION_CATEGORIES),
    confidence: z.number(),
    box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
    startSeconds: z.number().optional(),
    endSeconds: z.number().optional(),
  }),
);

/** A draft, as stored in a row. */
export const storedDraftSchema: z.ZodType<VerificationDraft> = z.object({
  output: z.object({ sizeBytes: z.number(), sha256: z.string() }),
  found: z.object({
    detections: storedDetectionsSchema,
    orientation: z.literal([1, 2, 3, 4, 5, 6, 7, 8]),
    isTruncated: z.boolean(),
    reasonTexts: reasonTextsSchema.optional(),
  }),
  models: z.array(modelIdentitySchema),
});
