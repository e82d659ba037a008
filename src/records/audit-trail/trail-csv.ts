import { isoDateTime } from "../../ground/platform/clock.ts";
import { BYTE_ORDER_MARK, csvLine } from "../../ground/platform/csv.ts";
import type { TrailEntry } from "./audit-trail.repository.ts";

const COLUMNS = [
  "time",
  "action",
  "actor_type",
  "actor_id",
  "actor_name",
  "actor_email",
  "subject_id",
  "subject_name",
  "detail",
  "request_id",
  "file_name",
  "file_name_digest",
] as const;

/**
 * Entries as CSV (RFC 4180) with a header. They are read page by page while they are sent, so a year of them takes no more
 * memory than one page.
 *
 * @param pages pages of entries; it ends after the last one
 */
export function csvStream(pages: AsyncGenerator<readonly TrailEntry[], void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let hasBegun = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!hasBegun) {
        hasBegun = true;
        controller.enqueue(encoder.encode(BYTE_ORDER_MARK + csvLine(COLUMNS)));
        return;
      }
      const { done, value } = await pages.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value.map(lineOf).join("")));
    },
    async cancel() {
      await pages.return();
    },
  });
}

function lineOf(entry: TrailEntry): string {
  return csvLine([
    isoDateTime(entry.createdAt),
    entry.kind,
    entry.actorKind,
    entry.actorId,
    entry.actorName ?? "",
    entry.actorEmail ?? "",
    entry.subjectId,
    entry.subjectName ?? "",
    entry.detail ?? "",
    entry.requestId,
    entry.fileName ?? "",
    entry.nameDigest ?? "",
  ]);
}
