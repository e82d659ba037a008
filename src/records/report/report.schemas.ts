import { z } from "@hono/zod-openapi";
import { requestSchema } from "../media-api/included-request.ts";
import { SOUND_KINDS, MUTE_SOUNDS } from "../masking/media-sound.ts";
import { categorySchema, mediaStatusSchema, methodSchema, shownValue } from "../media/media.schemas.ts";
import { querySchema } from "../../ground/platform/unknown-names.ts";
import { boxSchema } from "../media-api/detections.schemas.ts";
import { verificationSchema } from "../verification/verification.schemas.ts";
import { MEDIA_TYPES } from "../../ground/vocabulary/media-values.ts";

const dateTime = z.iso.datetime({ offset: true });
const seconds = z.number().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const { sensitivity, min_confidence, regions, ignore_regions, audio } = requestSchema.shape;

const by = z.string().nullable().openapi({
  description: "`detector`, `request`, or the ID of a member. Null if it is not known.",
  example: "detector",
});
const reason = z.string().nullable().openapi({ description: "Null if none was given." });
const category = z.union([categorySchema, z.null()]);
const span = { start_seconds: seconds, end_seconds: seconds };

const modelSchema = z.strictObject({ id: z.string(), version: z.string(), sha256: z.string() });

const versionSchema = z.strictObject({
  id: z.uuid(),
  kind: z.enum(["upload", "revision", "retry"]),
  status: mediaStatusSchema,
  created_at: dateTime,
  processed_at: dateTime.nullable(),
  current: z.boolean(),
  by,
  output_sha256: sha256.nullable(),
});

const maskSchema = z.strictObject({
  id: z.string(),
  category,
  origin: z.enum(["detector", "request"]),
  box: boxSchema.optional().openapi({ description: "Images only." }),
  keyframes: z
    .array(z.strictObject({ time_seconds: seconds, box: boxSchema }))
    .optional()
    .openapi({ description: "Videos only." }),
  start_seconds: seconds.optional(),
  end_seconds: seconds.optional(),
  reason,
  by,
});

const { status, looked_at, findings } = verificationSchema.shape;

const soundSchema = z.strictObject({
  ...span,
  kind: z.enum(SOUND_KINDS).openapi({ description: "As in `Detections`." }),
  sound: z.enum(MUTE_SOUNDS),
});

/** The record of what was done to a file. */
export const reportSchema = z
  .strictObject({
    report_version: z.literal(1),
    issued_at: dateTime,
    service: z.strictObject({ name: z.string(), version: z.string() }),
    account_id: z.string(),
    media: z.strictObject({
      id: z.uuid(),
      filename: z.string(),
      media_type: z.enum(MEDIA_TYPES),
      source_sha256: sha256.nullable().openapi({
        description: "The uploaded file. Null for uploads from before hashes were taken.",
      }),
      source_bytes: z.int().min(0),
      output_sha256: sha256.nullable().openapi({
        description: "The redacted file. Null if none was written.",
      }),
      output_bytes: z.int().min(0).nullable(),
      created_at: dateTime,
      processed_at: dateTime.nullable(),
    }),
    request: z
      .strictObject({
        categories: z.array(categorySchema),
        redaction_method: methodSchema,
        sensitivity: sensitivity.nullable(),
        min_confidence,
        regions,
        ignore_regions,
        audio,
        verify: z.boolean(),
      })
      .openapi({ description: "What the upload asked for. Null where the upload of a revision is deleted." }),
    models: z
      .array(modelSchema)
      .openapi({ description: "Empty for media from before models were recorded." }),
    versions: z.array(versionSchema).openapi({ description: "The versions of the file, oldest first." }),
    masks: z.array(maskSchema).openapi({ description: "What is hidden." }),
    left_open: z
      .array(z.strictObject({ id: z.string(), category, by, reason }))
      .openapi({ description: "What was found and is visible: by choice, or below the threshold." }),
    truncated: z.boolean().openapi({ description: "Whether `masks` and `left_open` leave something out." }),
    sound: z.array(soundSchema).openapi({ description: "What is muted." }),
    verification: z.strictObject({ status, looked_at, findings }),
    review: z.union([
      z.strictObject({ decision: z.enum(["approved", "corrected"]), by, at: dateTime }),
      z.null(),
    ]),
  })
  .openapi("Report", { description: "What was done to a file: no picture, no text that was read." });

export type Report = z.output<typeof reportSchema>;

/** A report beside its signature. */
export const signedReportSchema = z
  .strictObject({
    payload: reportSchema,
    signature: z.string().openapi({
      description: "The JSON Web Signature in compact form. Its payload is `payload`.",
      example: "eyJhbGciOiJFZERTQSJ9.eyJyZXBvcnRfdmVyc2lvbiI6MX0.c2ln",
    }),
  })
  .openapi("SignedReport");

/** Query of a report. */
export const reportQuerySchema = querySchema({
  format: z
    .literal("csv", { error: (issue) => `\`format\` is ${shownValue(issue.input)}; expected csv.` })
    .optional()
    .openapi({ param: { description: "`csv` for a table with one mask a row, without a signature." } }),
});
