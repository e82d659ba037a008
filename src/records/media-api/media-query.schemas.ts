import { z } from "@hono/zod-openapi";
import { querySchema } from "../../ground/platform/unknown-names.ts";
import { MAX_FOLDER_CHARACTERS } from "../media/folder.ts";
import { includeSchema } from "./media-included.schemas.ts";
import type { ListPosition } from "../media/media-list.repository.ts";
import { contractQuery, shownValue, wholeNumber } from "../media/media.schemas.ts";

/** The longest `external_id` in the metadata of a media item. */
export const MAX_EXTERNAL_ID_CHARACTERS = 200;

function text(field: string, maxCharacters: number) {
  const notAccepted = (issue: { input?: unknown }): string =>
    `\`${field}\` is ${shownValue(issue.input)}; expected 1 to ${maxCharacters} characters.`;
  return z
    .string({ error: notAccepted })
    .min(1, { error: notAccepted })
    .max(maxCharacters, { error: notAccepted })
    .optional();
}

const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;

/** The position that a cursor stands for, null for the first page. */
const cursorSchema = z
  .string({ error: "`cursor` is sent more than once; send it once." })
  .optional()
  .transform((sent, context): ListPosition | null | undefined => {
    if (sent === undefined) return undefined;
    if (sent === "") return null;
    const [, createdAt, id] = CURSOR.exec(sent) ?? [];
    if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id };
    context.addIssue({
      code: "custom",
      message: `\`cursor\` is ${shownValue(sent)}; expected a cursor from \`links.next\`, or nothing for the first page.`,
    });
    return z.NEVER;
  });

/** Formats a position as a cursor. */
export function cursorOf({ createdAt, id }: ListPosition): string {
  return `${createdAt}_${id}`;
}

/** Query of the media list. */
export const mediaQuerySchema = querySchema({
  ...contractQuery,
  external_id: text("external_id", MAX_EXTERNAL_ID_CHARACTERS).openapi({
    param: { description: "Extension: only media with this `metadata.external_id`." },
  }),
  folder: text("folder", MAX_FOLDER_CHARACTERS)
    .transform((name) => name?.normalize("NFC"))
    .openapi({
      type: "string",
      param: {
        description:
          "Extension: only media from this folder. Give its full name; subfolders are not included.",
      },
    }),
  current: z
    .enum(["true", "false"], {
      error: (issue) => `\`current\` is ${shownValue(issue.input)}; expected one of true, false.`,
    })
    .optional()
    .openapi({
      param: {
        description:
          "Extension: `true` lists only current versions, `false` only the others. The current version of a file is the newest completed one of the upload and its revisions, or the newest one if none is completed.",
      },
    }),
  cursor: cursorSchema.openapi({
    type: "string",
    param: {
      description:
        "Extension: stable pagination cursor, instead of `page`: new and deleted media do not shift the pages. Leave it empty for the first page; `links.next` has the next cursor.",
    },
  }),
  include: includeSchema,
}).superRefine((query, context) => {
  if (query.cursor !== undefined && query.page !== undefined)
    context.addIssue({
      code: "custom",
      path: ["cursor"],
      message: "`cursor` and `page` are both sent; send one of them.",
    });
});

export type MediaQuery = z.output<typeof mediaQuerySchema>;

/** The longest wait that a request may ask for. */
const MAX_WAIT_SECONDS = 20;

/** Query of one media item. */
export const mediaItemQuerySchema = querySchema({
  include: includeSchema,
  wait: wholeNumber("wait", {
    max: MAX_WAIT_SECONDS,
    accepted: `a whole number of seconds from 1 to ${MAX_WAIT_SECONDS}`,
    fallback: undefined,
  }).openapi({
    type: "integer",
    minimum: 1,
    maximum: MAX_WAIT_SECONDS,
    param: {
      description:
        "Extension: the answer comes as soon as `status` is final, or after so many seconds. It counts as one request.",
    },
  }),
});
