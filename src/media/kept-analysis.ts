import type { MediaRow } from "./media.repository.ts";

/**
 * Whether the analysis of a media is kept for revisions: the media is completed, and its source is kept. A retry has no source of its own,
 * and its analysis expires together with the upload's source.
 */
export function keepsAnalysis({
  status,
  sourceDeletedAt,
  sourceExpiresAt,
}: Pick<MediaRow, "status" | "sourceDeletedAt" | "sourceExpiresAt">): boolean {
  return status === "completed" && (sourceDeletedAt === null || sourceExpiresAt !== null);
}
