import { z } from "@hono/zod-openapi";
import { FAILURE_CODES } from "../../ground/vocabulary/failures.ts";
import { mediaStatusSchema } from "../media/media.schemas.ts";

/** The stages of a media item's processing, in order. */
const STEPS = ["upload", "plan", "analyse", "link", "render", "assemble"] as const;
export type Step = (typeof STEPS)[number];

const failureCodeSchema = z
  .enum(FAILURE_CODES)
  .openapi("FailureCode", { description: "Why a media item has no redacted file." });

const dateTime = z.iso.datetime({ offset: true });

/** The progress of a media item, why it failed, and when its files are deleted. */
export const statusDetailsSchema = z
  .strictObject({
    media_id: z
      .uuid()
      .openapi({ description: "The media item.", example: "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10" }),
    status: mediaStatusSchema,
    progress: z.number().min(0).max(1).nullable().openapi({
      description:
        "Progress from 0 (queued) to 1 (completed). Null if unknown: during an upload, while an image is processed, and for media that ended without a redacted file.",
      example: 0.42,
    }),
    step: z.enum(STEPS).nullable().openapi({
      description:
        "The current step. Videos are planned, analyzed, linked, rendered and assembled; images have no steps. Null while the media is not being processed.",
      example: "render",
    }),
    failure: z
      .strictObject({
        code: failureCodeSchema,
        message: z.string().openapi({ description: "What happened, and what to do about it." }),
      })
      .nullable()
      .openapi({
        description: "Why there is no redacted file. Null unless the media failed or exceeded the quota.",
      }),
    source_expires_at: dateTime.nullable().openapi({
      description:
        "When the uploaded file is deleted. Null until processing has ended, and after the deletion.",
    }),
    output_expires_at: dateTime.nullable().openapi({
      description: "When the redacted file is deleted. Null while there is none.",
    }),
  })
  .openapi("StatusDetails");

export type StatusDetailsResponse = z.output<typeof statusDetailsSchema>;
