import { BYTE_ORDER_MARK, csvLine } from "../../ground/platform/csv.ts";
import type { ReportSubject } from "./report.service.ts";
import { reportedDetections, type ReportedDetection } from "./reported-detections.ts";

const COLUMNS = [
  "media_id",
  "file_name",
  "mask_id",
  "category",
  "origin",
  "by",
  "reason",
  "x",
  "y",
  "width",
  "height",
  "start_seconds",
  "end_seconds",
] as const;

/** The masks of a media item as CSV, one per row. They are read while they are sent. The box of a video's mask holds all its keyframes. */
export function reportCsv(bucket: R2Bucket, subject: ReportSubject): ReadableStream<Uint8Array> {
  const lines = linesOf(bucket, subject);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await lines.return();
    },
  });
}

async function* linesOf(bucket: R2Bucket, subject: ReportSubject): AsyncGenerator<string, void, undefined> {
  yield BYTE_ORDER_MARK + csvLine(COLUMNS);
  for await (const reported of reportedDetections(bucket, subject))
    if (reported.detection.redacted) yield lineOf(subject, reported);
}

function lineOf({ inspected: { row } }: ReportSubject, { detection, by, reason }: ReportedDetection): string {
  const { box, start_seconds: start, end_seconds: end } = detection;
  const cells: Readonly<Record<(typeof COLUMNS)[number], string | number | null | undefined>> = {
    media_id: row.id,
    file_name: row.filename,
    mask_id: detection.id,
    category: detection.category,
    origin: detection.origin,
    by,
    reason,
    x: box.x,
    y: box.y,
    width: box.width,
    height: box.height,
    start_seconds: start,
    end_seconds: end,
  };
  return csvLine(COLUMNS.map((column) => String(cells[column] ?? "")));
}
