import { z } from "@hono/zod-openapi";
import { categorySchema } from "../media/media.schemas.ts";
import { FINDING_KINDS, VERIFICATION_STATUSES } from "./verification.ts";

const fraction = z.number().min(0).max(1);
const seconds = z.number().min(0);

const findingSchema = z
  .strictObject({
    id: z.string().openapi({ description: "Identifies the finding.", example: "fnd_0d2b5c3c9a10_1" }),
    kind: z.enum(FINDING_KINDS).openapi({
      description:
        "`found_again`: a requested category is found where nothing was painted. `readable`: a code or a line of writing can still be read under a mask. `unseen_gap`: a track was not seen for more than 0.5 s, and its place was computed.",
    }),
    category: categorySchema,
    confidence: fraction,
    box: z.strictObject({ x: fraction, y: fraction, width: fraction, height: fraction }).openapi({
      description: "Fractions 0…1 of the picture as a person sees it, from the left and the top.",
    }),
    start_seconds: seconds.optional().openapi({ description: "Videos only, from the first frame shown." }),
    end_seconds: seconds.optional().openapi({ description: "Videos only." }),
  })
  .openapi("VerificationFinding");

/** The second reading of a media item. */
export const verificationSchema = z
  .strictObject({
    media_id: z
      .uuid()
      .openapi({ description: "The media item.", example: "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10" }),
    status: z.enum(VERIFICATION_STATUSES).openapi({
      description:
        "`passed`: nothing was found. `findings`: see `findings`. `not_done`: the redacted file was not read again, because nobody asked for it or because the detector could not be reached.",
    }),
    looked_at: z
      .strictObject({ pictures: z.int().min(0), frames: z.int().min(0) })
      .openapi({ description: "How many photos and how many frames of a video were read again." }),
    findings: z.array(findingSchema),
  })
  .openapi("Verification");

export type VerificationResponse = z.output<typeof verificationSchema>;
