import { z } from "@hono/zod-openapi";
import { isRetryable } from "../../ground/vocabulary/failures.ts";
import { failureOf } from "../media/media-failure.ts";
import type { ShownMedia } from "../media/media.repository.ts";
import { mediaPage, mediaResponse, mediaSchema, shownValue } from "../media/media.schemas.ts";
import { requestSchema, type IncludedRequest } from "./included-request.ts";

/** The values of `include`: fields that can be added to each media item. */
const INCLUDABLE = ["versions", "failure", "metadata", "request"] as const;
type Includable = (typeof INCLUDABLE)[number];

/** The fields that `include` adds to a media item. */
export type Included = ReadonlySet<Includable>;

/** `include` of a query. */
export const includeSchema = z
  .string({ error: (issue) => notIncludable(issue.input) })
  .optional()
  .transform((text, context): Included => {
    const names = text === undefined ? [] : text.split(",");
    const known = names.flatMap((name) => INCLUDABLE.find((one) => one === name) ?? []);
    if (known.length === names.length) return new Set(known);
    context.addIssue({ code: "custom", message: notIncludable(text) });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    example: "versions,failure",
    param: {
      description:
        "Extension: fields to add to each media item, separated by commas: `versions`, `failure`, `metadata` (which also adds `folder`), `request` (the options of the upload).",
    },
  });

function notIncludable(value: unknown): string {
  return `\`include\` is ${shownValue(value)}; expected one or more of ${INCLUDABLE.join(", ")}, with commas between.`;
}

const versionsSchema = z
  .strictObject({
    first: z.uuid().openapi({
      description: "The ID of the upload that all versions were made from. It may have been deleted.",
    }),
    revision_of: z
      .uuid()
      .nullable()
      .openapi({ description: "The same ID if this is a revision or a retry; null if it is the upload." }),
    superseded_by: z.uuid().nullable().openapi({
      description: "The ID of the current version if it is newer than this one, otherwise null.",
    }),
    current: z.boolean().openapi({
      description:
        "Whether this is the current version: the newest completed one, or the newest one if none is completed.",
    }),
  })
  .openapi("Versions");

const failureSchema = z
  .strictObject({
    code: z.string().openapi({ description: "A `FailureCode`.", example: "source_unreadable" }),
    message: z.string().openapi({ description: "What happened, and what to do about it." }),
    retryable: z.boolean().openapi({
      description:
        "Whether another attempt with the same file may succeed, such as `POST /media/{mediaId}/retry`.",
    }),
  })
  .openapi("IncludedFailure");

/** A media item as the contract defines it, with the fields that `include` adds. */
export const includedMediaSchema = z
  .strictObject({
    ...mediaSchema.shape,
    versions: versionsSchema.optional(),
    // `failureSchema.nullable()` would make the component nullable wherever it is used.
    failure: z.union([failureSchema, z.null()]).optional().openapi({
      description:
        "With `include=failure`: why there is no redacted file. Null unless the media failed or exceeded the quota.",
    }),
    metadata: z
      .record(z.string(), z.string())
      .optional()
      .openapi({ description: "With `include=metadata`: the texts sent with the upload." }),
    folder: z.string().nullable().optional().openapi({
      description: "With `include=metadata`: the folder sent with the upload. Null if there was none.",
    }),
    // `requestSchema.nullable()` would make the component nullable wherever it is used.
    request: z.union([requestSchema, z.null()]).optional().openapi({
      description:
        "With `include=request`: the options of the upload. Null for a revision, whose detections say what it redacts, and until the file has arrived.",
    }),
  })
  .openapi("MediaWithIncluded", {
    description: "A media item. The fields after `download_url` are present if `include` asks for them.",
  });

/** A page of media with what `include` adds. */
export const includedCollectionSchema = mediaPage(includedMediaSchema).openapi("MediaCollection");

/** The public form of a media item with the fields that `include` asks for. */
export function includedResponse(
  { row, firstId }: { readonly row: ShownMedia; readonly firstId: string },
  {
    origin,
    included,
    requests,
  }: {
    readonly origin: string;
    readonly included: Included;
    /** By media ID, if `include` asks for them. */
    readonly requests?: ReadonlyMap<string, IncludedRequest> | undefined;
  },
): z.output<typeof includedMediaSchema> {
  const failure = included.has("failure") ? failureOf(row) : null;
  return {
    ...mediaResponse(row, origin),
    ...(included.has("versions") && { versions: versionsOf(row, firstId) }),
    ...(included.has("failure") && {
      failure: failure && { ...failure, retryable: isRetryable(failure.code) },
    }),
    ...(included.has("metadata") && { metadata: { ...row.metadata }, folder: row.folder }),
    ...(requests !== undefined && { request: requests.get(row.id) ?? null }),
  };
}

/** The version that superseded a media item; undefined if none has. */
export function successorOf({
  id,
  currentVersionId,
}: Pick<ShownMedia, "id" | "currentVersionId">): string | undefined {
  // IDs ascend with time, so a queued revision is not superseded by the version that it will supersede.
  return currentVersionId !== null && currentVersionId > id ? currentVersionId : undefined;
}

function versionsOf(row: ShownMedia, firstId: string): z.output<typeof versionsSchema> {
  return {
    first: firstId,
    revision_of: firstId === row.id ? null : firstId,
    superseded_by: successorOf(row) ?? null,
    current: row.currentVersionId === null,
  };
}
