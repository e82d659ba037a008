import { z } from "@hono/zod-openapi";
import { csvLine, BYTE_ORDER_MARK } from "../../ground/platform/csv.ts";
import { ACTOR_KINDS } from "../audit/audit.table.ts";
import type { DeletionPosition } from "./deletions.repository.ts";
import { isoDateTime } from "../../ground/platform/clock.ts";
import { querySchema } from "../../ground/platform/unknown-names.ts";
import { MEDIA_TYPES } from "../../ground/vocabulary/media-values.ts";
import { MOST_DELETIONS, type ProvenDeletion } from "./deletions.service.ts";
import { contractQuery, shownValue } from "../media/media.schemas.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const dateTime = z.iso.datetime();

const deletionSchema = z
  .strictObject({
    media_id: z.uuid().openapi({ description: "The media item that was deleted." }),
    revision_of: z.uuid().nullable().openapi({
      description: "If the media item was a revision, the ID of the upload that it was made from.",
    }),
    media_type: z.enum(MEDIA_TYPES).openapi({ description: "Whether it was an image or a video." }),
    file_name: z.string().nullable().openapi({
      description: "The name, while the account keeps names of deleted files; otherwise null.",
    }),
    file_name_digest: sha256.openapi({
      description:
        "HMAC-SHA256 of the file name with a secret key of the account. To check a name, send it as the query parameter `file_name`.",
    }),
    file_size_bytes: z.int().min(0).openapi({ description: "Size of the uploaded file." }),
    source_sha256: sha256
      .nullable()
      .openapi({ description: "SHA-256 of the uploaded file. Null if unknown." }),
    result_sha256: sha256
      .nullable()
      .openapi({ description: "SHA-256 of the redacted file. Null if there was none, or if it is unknown." }),
    uploaded_at: dateTime.openapi({
      description: "When the file was uploaded. For a revision, when the upload that it was made from was.",
    }),
    version_made_at: dateTime
      .nullable()
      .openapi({ description: "If the media item was a revision, when that was made; otherwise null." }),
    deleted_at: dateTime.openapi({ description: "When it was deleted." }),
    deleted_by: z
      .strictObject({
        type: z
          .enum(ACTOR_KINDS)
          .openapi({ description: "A person, an API key, or the operator of the service." }),
        id: z.string().openapi({ description: "The ID of that person or key." }),
        name: z
          .string()
          .nullable()
          .openapi({ description: "The current name. Null if the person or key no longer exists." }),
      })
      .openapi({ description: "Who deleted it." }),
    request_id: z
      .string()
      .openapi({ description: "The request that deleted it. Files deleted together share one request ID." }),
    objects_left: z.int().min(0).openapi({
      description: "How many of its objects, of any kind, were still in storage at `checked_at`.",
    }),
    rows_left: z.int().min(0).openapi({
      description:
        "How many database rows still referred to it at `checked_at`, such as an undelivered event.",
    }),
    purge_again_at: dateTime.nullable().openapi({
      description:
        "When its objects are deleted once more, in case a job that was running during the deletion wrote any. Null once that is done.",
    }),
  })
  .openapi("Deletion");

/** A page of deletion records. */
export const deletionsSchema = z
  .strictObject({
    checked_at: dateTime.openapi({
      description: "When storage and the database were checked for remaining data.",
    }),
    data: z.array(deletionSchema).openapi({ description: "The deletions on this page, the latest first." }),
    links: z
      .strictObject({
        next: z.url().nullable().openapi({ description: "The next page. Null on the last one." }),
      })
      .openapi({ description: "The page after this one." }),
  })
  .openapi("Deletions");

export type DeletionsResponse = z.output<typeof deletionsSchema>;
type DeletionResponse = DeletionsResponse["data"][number];

const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;

/** Parses a cursor into a position; undefined if the cursor is invalid. */
export function positionOf(cursor: string): DeletionPosition | undefined {
  const [, deletedAt, mediaId] = CURSOR.exec(cursor) ?? [];
  return deletedAt === undefined || mediaId === undefined
    ? undefined
    : { deletedAt: Number(deletedAt), mediaId };
}

/** Formats a position as a cursor. */
export function deletionCursorOf({ deletedAt, mediaId }: DeletionPosition): string {
  return `${deletedAt}_${mediaId}`;
}

function notIds(value: unknown): string {
  return `\`media_id\` is ${shownValue(value)}; expected 1 to ${MOST_DELETIONS} IDs of media items, with commas between.`;
}

const idsSchema = z
  .string({ error: (issue) => notIds(issue.input) })
  .optional()
  .transform((text, context): readonly string[] | undefined => {
    const ids = text?.split(",");
    const isGood =
      ids === undefined || (ids.length <= MOST_DELETIONS && z.array(z.uuid()).safeParse(ids).success);
    if (isGood) return ids;
    context.addIssue({ code: "custom", message: notIds(text) });
    return z.NEVER;
  })
  .openapi({ type: "string", param: { description: "Only these media items, separated by commas." } });

const MAX_NAME_CHARACTERS = 255;

/** Query of the deletions. */
export const deletionsQuerySchema = querySchema({
  media_id: idsSchema,
  file_name: z
    .string({ error: (issue) => `\`file_name\` is ${shownValue(issue.input)}; expected one file name.` })
    .min(1, "`file_name` is empty; expected one file name.")
    .max(MAX_NAME_CHARACTERS, `\`file_name\` is longer than ${MAX_NAME_CHARACTERS} characters.`)
    .optional()
    .openapi({ param: { description: "Only files with this name. Digests are compared." } }),
  request_id: z
    .string({ error: (issue) => `\`request_id\` is ${shownValue(issue.input)}; expected one ID.` })
    .regex(/^req_[0-9a-f-]{36}$/, {
      error: (issue) =>
        `\`request_id\` is ${shownValue(issue.input)}; expected an ID such as that of \`X-Request-Id\`.`,
    })
    .optional()
    .openapi({ param: { description: "Only what this request deleted." } }),
  cursor: z
    .string({
      error: (issue) => `\`cursor\` is ${shownValue(issue.input)}; expected a cursor from \`links.next\`.`,
    })
    .refine((text) => text === "" || positionOf(text) !== undefined, {
      error: (issue) =>
        `\`cursor\` is ${shownValue(issue.input)}; expected a cursor from \`links.next\`, or nothing for the first page.`,
    })
    .optional()
    .openapi({
      param: { description: "The cursor of the next page, from `links.next`. Empty for the first page." },
    }),
  per_page: contractQuery.per_page.openapi({ param: { description: "Deletions per page." } }),
});

/** The public form of a deletion. */
export function deletionResponse(deletion: ProvenDeletion): DeletionResponse {
  const { actorKind, actorId, actorName, purgeAgainAt } = deletion;
  return {
    media_id: deletion.mediaId,
    revision_of: deletion.firstMediaId,
    media_type: deletion.mediaType,
    file_name: deletion.name,
    file_name_digest: deletion.nameDigest,
    file_size_bytes: deletion.fileSizeBytes,
    source_sha256: deletion.sourceSha256,
    result_sha256: deletion.outputSha256,
    uploaded_at: isoDateTime(deletion.uploadedAt),
    version_made_at: deletion.versionMadeAt === null ? null : isoDateTime(deletion.versionMadeAt),
    deleted_at: isoDateTime(deletion.deletedAt),
    deleted_by: { type: actorKind, id: actorId, name: actorName },
    request_id: deletion.requestId,
    objects_left: deletion.objectsLeft,
    rows_left: deletion.rowsLeft,
    purge_again_at: purgeAgainAt === null ? null : isoDateTime(purgeAgainAt),
  };
}

const CSV_COLUMNS = [
  "media_id",
  "revision_of",
  "media_type",
  "file_name",
  "file_name_digest",
  "file_size_bytes",
  "source_sha256",
  "result_sha256",
  "uploaded_at",
  "version_made_at",
  "deleted_at",
  "deleted_by_type",
  "deleted_by_id",
  "deleted_by_name",
  "request_id",
  "objects_left",
  "rows_left",
  "purge_again_at",
  "checked_at",
] as const;

/** The same as CSV, one deletion per line. */
export function deletionsCsv({ checked_at: checkedAt, data }: DeletionsResponse): string {
  const lines = data.map(({ deleted_by: { type, id, name }, ...fields }) => {
    const cells: Readonly<Record<(typeof CSV_COLUMNS)[number], string | number | null>> = {
      ...fields,
      deleted_by_type: type,
      deleted_by_id: id,
      deleted_by_name: name,
      checked_at: checkedAt,
    };
    return csvLine(CSV_COLUMNS.map((column) => String(cells[column] ?? "")));
  });
  return [BYTE_ORDER_MARK + csvLine(CSV_COLUMNS), ...lines].join("");
}
