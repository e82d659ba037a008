import { z } from "@hono/zod-openapi";
import type { FormFields } from "./body/form-fields.ts";
import { jsonLabelSchemas, labelFieldSchemas } from "./upload-labels.schemas.ts";
import { jsonOptionSchemas, optionFieldSchemas } from "./upload-options.schemas.ts";
import { MAX_SOURCE_URL_CHARACTERS } from "./source-url.ts";
import { UPLOAD_ID } from "./body/upload-id.ts";
import { categorySchema, mediaSchema, methodSchema } from "../../records/media/media.schemas.ts";
import { COMMON_HEADERS, jsonResponse } from "../../ground/platform/openapi.ts";
import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";
import { REDACTION_METHODS, type RedactionMethod } from "../../ground/vocabulary/media-values.ts";

/**
 * The form of an upload in the OpenAPI document. It is one schema instead of a union, because client generators send nothing
 * for a form that is a union. The alternatives to a file are described as JSON bodies.
 */
export const uploadFormSchema = z
  .object({
    file: z.string().openapi({
      type: "string",
      format: "binary",
      description:
        "Photo or video to redact: JPEG, PNG, still WebP, HEIC, AVIF, still or animated GIF, TIFF, BMP, MP4, QuickTime, WebM, Matroska or AVI. The type is determined from the content.",
    }),
    "categories[]": z.array(categorySchema).min(1).openapi({
      description: "What to redact. Repeat the part, or send one JSON array as `categories`.",
    }),
    redaction_method: z.enum(REDACTION_METHODS).default("blur").openapi({
      description: "How detections are made unrecognizable.",
    }),
    ...optionFieldSchemas,
    ...labelFieldSchemas,
  })
  .openapi("Upload");

const sourceSchemas = {
  source_url: z
    .url({ protocol: /^https$/ })
    .max(MAX_SOURCE_URL_CHARACTERS)
    .openapi({
      description:
        "Extension: an https URL of a public host, from which the service fetches the photo or video. The URL is neither logged nor stored, so it may contain a signature.",
      example: "https://files.example.com/street.jpg?signature=abc",
    }),
  filename: z.string().optional().openapi({
    description:
      "Extension: the file's name, by default the last part of the URL's path. The type is determined from the content, not the name.",
    example: "street.jpg",
  }),
};

const resumableSchemas = {
  upload_id: z.string().regex(UPLOAD_ID).openapi({
    description:
      "Extension: the ID of a resumable upload whose bytes have all arrived. It is a secret, and it can be used only once.",
    example: "upl_Vb3vYcZ0m5gT8sVb3vYcZ0m5gT8sVb3vYcZ0m5gT8s0",
  }),
  filename: z.string().optional().openapi({
    description: "Extension: the file's name, by default the one in `Upload-Metadata`.",
    example: "street.jpg",
  }),
};

/** The JSON body of an upload whose file the service fetches. */
const uploadByUrlSchema = z
  .strictObject({
    ...sourceSchemas,
    categories: z.array(categorySchema).min(1).openapi({ description: "What to redact." }),
    redaction_method: uploadFormSchema.shape.redaction_method,
    ...jsonOptionSchemas,
    ...jsonLabelSchemas,
  })
  .openapi("UploadByUrl");

/** The JSON body of an upload whose file is a resumable upload. */
const uploadByIdSchema = z
  .strictObject({
    ...resumableSchemas,
    categories: uploadByUrlSchema.shape.categories,
    redaction_method: uploadFormSchema.shape.redaction_method,
    ...jsonOptionSchemas,
    ...jsonLabelSchemas,
  })
  .openapi("UploadById");

/** The JSON body of an upload without a file in its request. */
export const uploadJsonSchema = z.union([uploadByUrlSchema, uploadByIdSchema]);

/** Length limit of an idempotency key, from the contract. */
const IDEMPOTENCY_KEY_MAX_CHARACTERS = 255;

/** Headers of an upload. */
export const uploadHeadersSchema = z.object({
  "Idempotency-Key": z
    .string()
    .min(1)
    .max(IDEMPOTENCY_KEY_MAX_CHARACTERS)
    .optional()
    .openapi({
      param: {
        name: "Idempotency-Key",
        in: "header",
        description:
          "Send the same key when you retry the same upload: the answer is the same as the first time, with `Idempotency-Replayed: true`, and nothing is stored or counted twice. Keys are valid for 24 hours.",
        example: "6f1b2c3d-upload-17",
      },
    }),
});

const categoriesSchema = z
  .array(categorySchema)
  .min(1, { error: "`categories` is missing; send at least one as `categories[]`." })
  .transform((categories): RedactionCategory[] => [...new Set(categories)]);

/** The response to a request that queues a media item, or that repeats an earlier one. */
export function queuedMediaResponse(description: string) {
  return {
    ...jsonResponse(mediaSchema, description),
    headers: {
      ...COMMON_HEADERS,
      "Idempotency-Replayed": {
        description: "`true` when this is the stored answer of an earlier request with the same key.",
        schema: { type: "string" as const },
      },
    },
  };
}

/** A value, or error sentences. */
type Checked<T> = { readonly value: T } | { readonly faults: string[] };

/** The categories of a form without duplicates: repeated `categories[]`, repeated `categories`, or one JSON array. */
export function checkCategories(fields: FormFields): Checked<RedactionCategory[]> {
  const texts = [...(fields.get("categories[]") ?? []), ...(fields.get("categories") ?? [])];
  const result = categoriesSchema.safeParse(texts.flatMap(expandJsonArray));
  return result.success ? { value: result.data } : { faults: messagesOf(result.error) };
}

/** The redaction method of a form, blur by default. */
export function checkMethod(fields: FormFields): Checked<RedactionMethod> {
  const texts = fields.get("redaction_method") ?? [];
  if (texts.length > 1) {
    return { faults: [`\`redaction_method\` is sent ${texts.length} times; send it once.`] };
  }
  const result = methodSchema.default("blur").safeParse(texts[0]);
  return result.success ? { value: result.data } : { faults: messagesOf(result.error) };
}

/** The idempotency key; undefined if the header is absent. */
export function checkIdempotencyKey(header: string | undefined): Checked<string | undefined> {
  if (header === undefined) return { value: undefined };
  if (header.length >= 1 && header.length <= IDEMPOTENCY_KEY_MAX_CHARACTERS) return { value: header };
  return {
    faults: [
      `\`Idempotency-Key\` has ${header.length} characters; expected 1 to ${IDEMPOTENCY_KEY_MAX_CHARACTERS}.`,
    ],
  };
}

function expandJsonArray(text: string): unknown[] {
  if (!text.trimStart().startsWith("[")) return [text];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [text];
  } catch {
    return [text];
  }
}

function messagesOf(error: z.core.$ZodError): string[] {
  return [...new Set(error.issues.map((issue) => issue.message))];
}
