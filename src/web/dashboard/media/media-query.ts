import { z } from "zod";
import { BROWSE_ORDERS, type BrowseFilter } from "../../../records/media/media-browse.repository.ts";
import { MEDIA_STATUSES } from "../../../records/media/media.states.ts";
import { MAX_FOLDER_CHARACTERS } from "../../../records/media/folder.ts";
import { DAY_MS } from "../../../ground/platform/clock.ts";
import {
  approvedInReview,
  corrected,
  waitingForReview,
} from "../../../records/review/archive-facts.repository.ts";
import { REDACTION_CATEGORIES } from "../../../ground/vocabulary/categories.ts";
import { MEDIA_TYPES } from "../../../ground/vocabulary/media-values.ts";

const PAGE_MAX = 1_000;
/** The status filter's value for files that wait for review, whatever their status. */
export const TO_REVIEW = "to_review";
/** The status filter's value for files that a reviewer approved, with or without changes. */
export const APPROVED = "approved";
/** The status filter's value for files that were corrected after they were redacted. */
export const CORRECTED = "corrected";

/** The filter of media in an address. Invalid parameters are ignored, so that old links still work. */
export const mediaQuerySchema = z.object({
  search: z.string().trim().max(255).optional().catch(undefined),
  status: z
    .enum([...MEDIA_STATUSES, TO_REVIEW, APPROVED, CORRECTED])
    .optional()
    .catch(undefined),
  type: z.enum(MEDIA_TYPES).optional().catch(undefined),
  category: z.enum(REDACTION_CATEGORIES).optional().catch(undefined),
  found: z.enum(REDACTION_CATEGORIES).optional().catch(undefined),
  folder: z.string().trim().max(MAX_FOLDER_CHARACTERS).optional().catch(undefined),
  key: z
    .string()
    .regex(/^key_[0-9a-f-]{36}$/)
    .optional()
    .catch(undefined),
  from: z.iso.date().optional().catch(undefined),
  until: z.iso.date().optional().catch(undefined),
  sort: z.enum(BROWSE_ORDERS).optional().catch(undefined),
  order: z.enum(["asc", "desc"]).optional().catch(undefined),
  view: z.enum(["list", "grid"]).optional().catch(undefined),
  page: z.coerce.number().int().min(1).max(PAGE_MAX).catch(1),
});

export type MediaQuery = z.output<typeof mediaQuerySchema>;

/** The filter of a query. */
export function filterOf(accountId: string, query: MediaQuery): BrowseFilter {
  const { search, status, type, category, found, folder, key, from, until } = query;
  return {
    accountId,
    ...byStatus(accountId, status),
    mediaType: type,
    category,
    found,
    keyId: key,
    folder: folder === "" ? undefined : folder,
    name: search === "" ? undefined : search,
    fromMs: from === undefined ? undefined : Date.parse(from),
    untilMs: until === undefined ? undefined : Date.parse(until) + DAY_MS,
  };
}

function byStatus(accountId: string, status: MediaQuery["status"]): Pick<BrowseFilter, "status" | "among"> {
  if (status === TO_REVIEW) return { among: waitingForReview(accountId) };
  if (status === CORRECTED) return { among: corrected(accountId) };
  return status === APPROVED ? { among: approvedInReview(accountId) } : { status };
}

/** The address of `path` with a query. `page` 1 is left out. */
export function addressOf(path: string, query: Partial<MediaQuery>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === "" || (name === "page" && value === 1)) continue;
    parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}
