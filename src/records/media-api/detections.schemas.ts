import { z } from "@hono/zod-openapi";
import { categorySchema, notACategory, shownValue } from "../media/media.schemas.ts";
import { querySchema } from "../../ground/platform/unknown-names.ts";
import { SOUND_KINDS, MUTE_SOUNDS } from "../masking/media-sound.ts";
import { REDACTION_CATEGORIES } from "../../ground/vocabulary/categories.ts";

const fraction = z.number().min(0).max(1);
const seconds = z.number().min(0);
const dateTime = z.iso.datetime({ offset: true });

export const boxSchema = z
  .strictObject({
    x: fraction.openapi({ description: "The left edge, as a fraction of the picture's width." }),
    y: fraction.openapi({ description: "The top edge, as a fraction of the picture's height." }),
    width: fraction.openapi({ description: "As a fraction of the picture's width." }),
    height: fraction.openapi({ description: "As a fraction of the picture's height." }),
  })
  .openapi("Box", {
    description:
      "Fractions 0…1 of the picture as a person sees it, from the left and the top. The box of a video's detection holds all its keyframes.",
    example: { x: 0.41, y: 0.12, width: 0.08, height: 0.14 },
  });

/** One detected object or requested region. */
const detectionSchema = z
  .strictObject({
    id: z.string().openapi({
      description: "Identifies the detection in a revision. It never changes.",
      example: "det_0d2b5c3c9a10_1",
    }),
    // `categorySchema.nullable()` would make every category in the OpenAPI document nullable.
    category: z.union([categorySchema, z.null()]).openapi({
      description: "Null for a requested region without a category.",
    }),
    confidence: fraction
      .nullable()
      .openapi({ description: "How confident the detector is. Null for a requested region.", example: 0.87 }),
    origin: z
      .enum(["detector", "request"])
      .openapi({ description: "Whether it was detected, or requested as a region." }),
    redacted: z.boolean().openapi({
      description:
        "Whether it is hidden in the redacted file, or would be if the media had been redacted (`detect_only`). Candidates below the threshold are listed with `false`.",
    }),
    reason: z
      .strictObject({ code: z.string(), text: z.string() })
      .optional()
      .openapi({
        description:
          "Why it is hidden: a code of the account's list of reasons, and its text at the time of the version.",
        example: { code: "(b)(6)", text: "Clearly unwarranted invasion of personal privacy" },
      }),
    box: boxSchema,
    polygon: z
      .array(z.array(fraction).length(2))
      .min(3)
      .optional()
      .openapi({ description: "Its outline, if known." }),
    start_seconds: seconds
      .optional()
      .openapi({ description: "Videos only: when it is first hidden, counted from the first frame shown." }),
    end_seconds: seconds.optional().openapi({ description: "Videos only: when it is last hidden." }),
    keyframes: z
      .array(
        z.strictObject({
          time_seconds: seconds.openapi({ description: "The time in seconds from the first frame shown." }),
          box: boxSchema,
        }),
      )
      .optional()
      .openapi({
        description:
          "Videos only: where it is. The box moves at constant speed from one keyframe to the next.",
      }),
  })
  .openapi("Detection");

export type DetectionResponse = z.output<typeof detectionSchema>;

/** Muted sound, or speech, of a video. */
const soundSchema = z
  .strictObject({
    start_seconds: seconds.openapi({ description: "When it begins, from the first frame shown." }),
    end_seconds: seconds.openapi({ description: "When it ends." }),
    kind: z.enum(SOUND_KINDS).openapi({
      description:
        "`speech` that was found, a `requested` range, or the `whole_track`: all audio is removed, or a track's codec cannot be muted in part.",
    }),
    sound: z.enum(MUTE_SOUNDS).openapi({ description: "What is heard instead if it is redacted." }),
    redacted: z.boolean().openapi({ description: "Whether it is muted in the redacted file." }),
  })
  .openapi("DetectedSound");

/** The detections in a media item. */
export const detectionsSchema = z
  .strictObject({
    media_id: z
      .uuid()
      .openapi({ description: "The media item.", example: "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10" }),
    width: z.int().min(1).openapi({ description: "In pixels, as a person sees it.", example: 4032 }),
    height: z.int().min(1).openapi({ description: "In pixels, as a person sees it.", example: 3024 }),
    duration_seconds: seconds.nullable().openapi({ description: "Null for images.", example: null }),
    source_available_until: dateTime.nullable().openapi({
      description: "The time until which revisions can be made. Null if the source has been deleted.",
    }),
    revision_of: z.uuid().nullable().openapi({
      description: "If this is a revision, the ID of the upload that it was made from.",
      example: null,
    }),
    detections: z
      .array(detectionSchema)
      .openapi({ description: "What was found or asked for, redacted or not." }),
    truncated: z.boolean().openapi({ description: "Whether there are more detections than are listed." }),
    sound: z
      .array(soundSchema)
      .optional()
      .openapi({ description: "Videos only: speech and muted sound. Absent if there is none." }),
  })
  .openapi("Detections");

export type DetectionsResponse = z.output<typeof detectionsSchema>;

const askedCategory = z.enum(REDACTION_CATEGORIES, {
  error: (issue) => notACategory("category", issue.input),
});

/** Query of the detections: which of them to list. */
export const detectionsQuerySchema = querySchema({
  redacted: z
    .enum(["true", "false"], {
      error: (issue) => `\`redacted\` is ${shownValue(issue.input)}; expected one of true, false.`,
    })
    .optional()
    .openapi({
      param: { description: "`true` lists only detections that are redacted, `false` only the others." },
    }),
  // One parameter arrives as a string, several as a list.
  category: z
    .preprocess(
      (sent) => (sent === undefined || Array.isArray(sent) ? sent : [sent]),
      z.array(askedCategory).optional(),
    )
    .openapi({
      type: "array",
      items: { $ref: "#/components/schemas/RedactionCategory" },
      param: {
        description:
          "Only detections of this category. Repeat it for several. Regions without a category are then left out.",
      },
    }),
});

export type DetectionsQuery = z.output<typeof detectionsQuerySchema>;
