import type { MediaRow } from "./media.repository.ts";

/**
 * Whether the analysis of a media item is kept for revisions: the item is completed, and its source is kept. A retry has no
 * source of its own. Its analysis expires together with the upload's source.
 */
export function keepsAnalysis({
  status,
  sourceDeletedAt,
  sourceExpiresAt,
}: Pick<MediaRow, "status" | "sourceDeletedAt" | "sourceExpiresAt">): boolean {
  return status === "completed" && (sourceDeletedAt === null || sourceExpiresAt !== null);
}
