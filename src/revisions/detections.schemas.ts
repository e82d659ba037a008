import { z } from "@hono/zod-openapi";
import { categorySchema, shownValue } from "../media/media.schemas.ts";
import { querySchema } from "../platform/unknown-names.ts";
import { REDACTION_CATEGORIES } from "../vocabulary/media-values.ts";

const fraction = z.number().min(0).max(1);
const seconds = z.number().min(0);
const dateTime = z.iso.datetime({ offset: true });

const boxSchema = z
  .strictObject({ x: fraction, y: fraction, width: fraction, height: fraction })
  .openapi("Box", {
    description: "Fractions 0…1 of the picture as a person sees it, from the left and the top.",
    example: { x: 0.41, y: 0.12, width: 0.08, height: 0.14 },
  });

/** One thing that was found, or asked for. */
const detectionSchema = z
  .strictObject({
    id: z.string().openapi({
      description: "Names the detection in a revision. It stays the same.",
      example: "det_0d2b5c3c9a10_1",
    }),
    // `categorySchema.nullable()` would make every category of the OpenAPI document nullable.
    category: z.union([categorySchema, z.null()]).openapi({
      description: "Null where a region was asked for without a category.",
    }),
    confidence: fraction
      .nullable()
      .openapi({ description: "How sure the detector is. Null where a person asked for it.", example: 0.87 }),
    origin: z
      .enum(["detector", "request"])
      .openapi({ description: "Whether it was detected or asked for as a region." }),
    redacted: z.boolean().openapi({
      description:
        "Whether it is hidden in the redacted file, or would be where the media was only looked at. What was detected below the threshold is listed with `false`.",
    }),
    box: boxSchema,
    polygon: z
      .array(z.array(fraction).length(2))
      .min(3)
      .optional()
      .openapi({ description: "Its outline, where one is known." }),
    start_seconds: seconds
      .optional()
      .openapi({ description: "Of videos: when it is first hidden, from the first frame shown." }),
    end_seconds: seconds.optional().openapi({ description: "Of videos: when it is last hidden." }),
    keyframes: z
      .array(z.strictObject({ time_seconds: seconds, box: boxSchema }))
      .optional()
      .openapi({ description: "Of videos: where it is. Between two of them the box moves evenly." }),
  })
  .openapi("Detection");

export type DetectionResponse = z.output<typeof detectionSchema>;

/** What was found in a media item. */
export const detectionsSchema = z
  .strictObject({
    media_id: z.uuid().openapi({ example: "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10" }),
    width: z.int().min(1).openapi({ description: "In pixels, as a person sees it.", example: 4032 }),
    height: z.int().min(1).openapi({ example: 3024 }),
    duration_seconds: seconds.nullable().openapi({ description: "Null for images.", example: null }),
    source_available_until: dateTime.nullable().openapi({
      description: "Until when revisions can be made. Null when the source is deleted.",
    }),
    revision_of: z.uuid().nullable().openapi({
      description: "The media whose upload this was made from, if this is a revision.",
      example: null,
    }),
    detections: z.array(detectionSchema),
    truncated: z.boolean().openapi({ description: "Whether more was found than is listed." }),
  })
  .openapi("Detections");

export type DetectionsResponse = z.output<typeof detectionsSchema>;

const askedCategory = z.enum(REDACTION_CATEGORIES, {
  error: (issue) =>
    `\`category\` is ${shownValue(issue.input)}; expected one of ${REDACTION_CATEGORIES.join(", ")}.`,
});

/** Query of the detections: which of them are listed. */
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
