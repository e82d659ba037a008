import { z } from "@hono/zod-openapi";
import { isoDateTime } from "../../ground/platform/clock.ts";
import { API_BASE_PATH } from "../../ground/platform/http.ts";
import { MEDIA_STATUSES } from "./media.states.ts";
import { categoryMeant } from "../../ground/vocabulary/category-synonyms.ts";
import { REDACTION_CATEGORIES } from "../../ground/vocabulary/categories.ts";
import { MEDIA_TYPES, REDACTION_METHODS } from "../../ground/vocabulary/media-values.ts";
import type { MediaRow } from "./media.repository.ts";

/** Error message for a value outside an enumeration. */
function notOneOf(field: string, values: readonly string[]) {
  return (issue: { input?: unknown }): string =>
    `\`${field}\` is ${shownValue(issue.input)}; expected one of ${values.join(", ")}.`;
}

/** Error message for a value that is no category; names the category that it means. */
export function notACategory(field: string, value: unknown): string {
  const meant = categoryMeant(value);
  const hint = meant === undefined ? "" : ` the category for that is \`${meant}\`;`;
  return `\`${field}\` is ${shownValue(value)};${hint} expected one of ${REDACTION_CATEGORIES.join(", ")}.`;
}

/** Formats a value for a sentence and truncates it if it is long. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length <= SHOWN_VALUE_CHARACTERS ? text : `${text.slice(0, SHOWN_VALUE_CHARACTERS)}…`;
}

/** A redaction category. */
export const categorySchema = z
  .enum(REDACTION_CATEGORIES, { error: (issue) => notACategory("categories", issue.input) })
  .openapi("RedactionCategory");

/** A redaction method. */
export const methodSchema = z
  .enum(REDACTION_METHODS, { error: notOneOf("redaction_method", REDACTION_METHODS) })
  .openapi("RedactionMethod");

/** A media status. */
export const mediaStatusSchema = z
  .enum(MEDIA_STATUSES, { error: notOneOf("status", MEDIA_STATUSES) })
  .openapi("MediaStatus");

const mediaTypeSchema = z
  .enum(MEDIA_TYPES, { error: notOneOf("media_type", MEDIA_TYPES) })
  .openapi("MediaType");

const dateTime = z.iso.datetime({ offset: true });

/** A media item, as the contract defines it. */
export const mediaSchema = z
  .strictObject({
    id: z.uuid().openapi({
      description: "Identifier of the media item.",
      example: "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10",
    }),
    status: mediaStatusSchema,
    filename: z.string().openapi({ description: "Name of the uploaded file.", example: "street.jpg" }),
    media_type: mediaTypeSchema,
    categories: z.array(categorySchema).openapi({ description: "What the upload asked to redact." }),
    redaction_method: methodSchema,
    file_size_bytes: z.int().min(0).openapi({ description: "Size of the uploaded file.", example: 482_133 }),
    duration_seconds: z
      .number()
      .min(0)
      .nullable()
      .openapi({ description: "Null for images.", example: null }),
    created_at: dateTime.openapi({
      description: "When it was uploaded.",
      example: "2026-11-20T13:37:00.000Z",
    }),
    processed_at: dateTime
      .nullable()
      .openapi({ description: "Null until processing completes.", example: null }),
    failed_at: dateTime.nullable().openapi({ description: "Null unless processing failed.", example: null }),
    download_url: z
      .url()
      .optional()
      .openapi({ description: "The URL of the redacted file. Present only on completed media." }),
  })
  .openapi("Media");

export type MediaResponse = z.output<typeof mediaSchema>;

const PER_PAGE_MAX = 100;
/** Beyond this page, the number of earlier items exceeds what a number represents exactly. */
const PAGE_MAX = Math.floor(Number.MAX_SAFE_INTEGER / PER_PAGE_MAX);
const SHOWN_VALUE_CHARACTERS = 100;

/** A positive whole number in a query. The fault names the value found and what is accepted. */
export function wholeNumber<Fallback extends number | undefined>(
  field: string,
  { max, accepted, fallback }: { max: number; accepted: string; fallback: Fallback },
) {
  const notAccepted = (value: unknown): string =>
    `\`${field}\` is ${shownValue(value)}; expected ${accepted}.`;
  return z
    .string({ error: (issue) => notAccepted(issue.input) })
    .optional()
    .transform((text, context) => {
      if (text === undefined) return fallback;
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= 1 && value <= max) return value;
      context.addIssue({ code: "custom", message: notAccepted(text) });
      return z.NEVER;
    });
}

/** Parameters of the media list in the contract. */
export const contractQuery = {
  status: mediaStatusSchema.optional().openapi({ param: { description: "Only media with this status." } }),
  media_type: mediaTypeSchema.optional().openapi({ param: { description: "Only media of this type." } }),
  page: wholeNumber("page", {
    max: PAGE_MAX,
    accepted: "a positive whole number",
    fallback: undefined,
  }).openapi({
    type: "integer",
    minimum: 1,
    default: 1,
    param: { description: "Page to return." },
  }),
  per_page: wholeNumber("per_page", {
    max: PER_PAGE_MAX,
    accepted: `a whole number from 1 to ${PER_PAGE_MAX}`,
    fallback: 20,
  }).openapi({
    type: "integer",
    minimum: 1,
    maximum: PER_PAGE_MAX,
    default: 20,
    param: { description: "Media per page." },
  }),
};

/** Path of one media item. */
export const mediaPathSchema = z.object({
  mediaId: z
    .uuid()
    .openapi({ param: { name: "mediaId", in: "path", description: "Identifier of the media item." } }),
});

const paginationSchema = z.strictObject({
  page: z.int().min(1).openapi({
    description:
      "This page, as asked for: past the end, it is greater than `total_pages`. With `cursor`, always 1.",
  }),
  per_page: z.int().min(1).max(PER_PAGE_MAX).openapi({ description: "Most items per page." }),
  total: z.int().min(0).openapi({ description: "Items on all pages." }),
  total_pages: z.int().min(0).openapi({ description: "Pages in all." }),
});

const linksSchema = z.strictObject({
  next: z.url().nullable().openapi({ description: "The next page. Null on the last one." }),
  previous: z.url().nullable().openapi({
    description: "The page before; past the end, the last page. Null on the first one, and with `cursor`.",
  }),
});

/** A page of media, each in the form of `itemSchema`. */
export function mediaPage<Item extends z.ZodType>(itemSchema: Item) {
  return z.strictObject({
    data: z.array(itemSchema).openapi({ description: "The media on this page, newest first." }),
    pagination: paginationSchema.openapi({
      description: "The number of this page, and the number of pages.",
    }),
    links: linksSchema.openapi({ description: "The pages beside this one." }),
  });
}

/** A page of media, as the contract defines it. */
export const mediaCollectionSchema = mediaPage(mediaSchema);

export type MediaCollectionResponse = z.output<typeof mediaCollectionSchema>;

/** The columns of a media row that its public form needs. */
export type PublishedMedia = Pick<
  MediaRow,
  | "id"
  | "status"
  | "filename"
  | "mediaType"
  | "categories"
  | "redactionMethod"
  | "fileSizeBytes"
  | "durationSeconds"
  | "createdAt"
  | "processedAt"
  | "failedAt"
  | "outputSizeBytes"
>;

/** The public form of a media row. `origin` is the service's own scheme, host and port. */
export function mediaResponse(row: PublishedMedia, origin: string): MediaResponse {
  return {
    id: row.id,
    status: row.status,
    filename: row.filename,
    media_type: row.mediaType,
    categories: row.categories,
    redaction_method: row.redactionMethod,
    file_size_bytes: row.fileSizeBytes,
    duration_seconds: row.durationSeconds,
    created_at: isoDateTime(row.createdAt),
    processed_at: isoDateTime(row.processedAt),
    failed_at: isoDateTime(row.failedAt),
    ...(row.status === "completed" && row.outputSizeBytes !== null
      ? { download_url: `${origin}${API_BASE_PATH}/media/${row.id}/download` }
      : {}),
  };
}
