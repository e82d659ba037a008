import { BYTE_ORDER_MARK, csvLine } from "../../ground/platform/csv.ts";
import { isoDateTime } from "../../ground/platform/clock.ts";
import { failureOf } from "./media-failure.ts";
import type { MediaRow } from "./media.repository.ts";

/** The columns of a file in an archive's manifest that its media row does not hold. */
export interface ArchiveFacts {
  /** How many masks the file has; null if unknown. */
  readonly masks: { readonly detected: number; readonly requested: number } | null;
  /** Who reviewed and approved the file; null if nobody did. */
  readonly approval: {
    readonly by: string;
    readonly atMs: number;
    /** Whether they watched the whole video first; undefined if that was not reported. */
    readonly isSeenInFull: boolean | undefined;
  } | null;
  readonly notes: FileNotes;
}

/** What reviewers have noted about a file, and who did. */
export type FileNotes = readonly { readonly text: string; readonly by: string }[];

const COLUMNS = [
  "file_in_zip",
  "original_name",
  "folder",
  "id",
  "is_current",
  "source_sha256",
  "result_sha256",
  "categories",
  "masks_detected",
  "masks_added",
  "approved_by",
  "approved_at",
  "seen_in_full",
  "review_notes",
  "reason_left_out",
] as const;

/** Why a file has no result, as the manifest words it. */
function reasonOf(row: MediaRow): string {
  const failure = failureOf(row);
  if (failure !== null) return `failed: ${failure.code}`;
  if (row.status !== "completed") return "not finished yet";
  return row.outputExpiresAt === null ? "not approved yet" : "no longer stored";
}

/** Whether a video was watched to its end before it was approved. Empty for a photo, which is seen at once. */
function seenInFull({ mediaType }: MediaRow, approval: ArchiveFacts["approval"]): string {
  if (mediaType !== "video" || approval?.isSeenInFull === undefined) return "";
  return approval.isSeenInFull ? "yes" : "no";
}

/** The list of an archive's files as CSV, one file per line. Its hashes can be checked against the files. */
export class ArchiveManifest {
  #lines = BYTE_ORDER_MARK + csvLine(COLUMNS);

  /** Adds a file under its name in the archive. */
  add(
    name: string,
    row: MediaRow,
    { facts, sha256 }: { facts: ArchiveFacts | undefined; sha256: string },
  ): void {
    this.#addLine({ name, sha256, leftOut: "" }, row, facts);
  }

  /** Adds a file that the archive does not hold, with the reason. */
  addLeftOut(row: MediaRow, reason = reasonOf(row), notes: FileNotes = []): void {
    this.#addLine({ name: "", sha256: "", leftOut: reason }, row, { masks: null, approval: null, notes });
  }

  #addLine(
    { name, sha256, leftOut }: { name: string; sha256: string; leftOut: string },
    row: MediaRow,
    facts: ArchiveFacts | undefined,
  ): void {
    const { masks = null, approval = null, notes = [] } = facts ?? {};
    this.#lines += csvLine([
      name,
      row.filename,
      row.folder ?? "",
      row.id,
      row.currentVersionId === null ? "yes" : "no",
      row.sourceSha256 ?? "",
      sha256,
      row.categories.join(" "),
      masks === null ? "" : String(masks.detected),
      masks === null ? "" : String(masks.requested),
      approval?.by ?? "",
      approval === null ? "" : isoDateTime(approval.atMs),
      seenInFull(row, approval),
      notes.map(({ text, by }) => `${by}: ${text}`).join("\n"),
      leftOut,
    ]);
  }

  toString(): string {
    return this.#lines;
  }
}
