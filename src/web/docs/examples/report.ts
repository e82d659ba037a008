import type { z } from "zod";
import type { Report, signedReportSchema } from "../../../records/report/report.schemas.ts";

const SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const OUTPUT_SHA256 = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752";

/** The report of a photo that nobody has corrected, beside its signature. */
export function signedReportExample(mediaId: string): z.output<typeof signedReportSchema> {
  return {
    payload: reportOf(mediaId),
    signature: "eyJhbGciOiJFZERTQSJ9.eyJyZXBvcnRfdmVyc2lvbiI6MX0.c2lnbmF0dXJl",
  };
}

function reportOf(mediaId: string): Report {
  const times = { created_at: "2026-11-20T13:37:00.000Z", processed_at: "2026-11-20T13:37:02.000Z" };
  return {
    report_version: 1,
    issued_at: "2026-11-21T08:00:00.000Z",
    service: { name: "Veil", version: "1.0.0" },
    account_id: "acc_019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10",
    media: {
      id: mediaId,
      filename: "street.jpg",
      media_type: "image",
      source_sha256: SHA256,
      source_bytes: 482_133,
      output_sha256: OUTPUT_SHA256,
      output_bytes: 391_240,
      ...times,
    },
    request: {
      categories: ["heads"],
      redaction_method: "blur",
      sensitivity: "normal",
      min_confidence: null,
      regions: [],
      ignore_regions: [],
      audio: "keep",
      verify: true,
    },
    models: [{ id: "heads", version: "3.1.0", sha256: SHA256 }],
    versions: [
      {
        id: mediaId,
        kind: "upload",
        status: "completed",
        ...times,
        current: true,
        by: "request",
        output_sha256: OUTPUT_SHA256,
      },
    ],
    masks: [
      {
        id: "det_0d2b5c3c9a10_1",
        category: "heads",
        origin: "detector",
        box: { x: 0.41, y: 0.12, width: 0.08, height: 0.14 },
        reason: null,
        by: "detector",
      },
    ],
    left_open: [],
    truncated: false,
    sound: [],
    verification: { status: "passed", looked_at: { pictures: 1, frames: 0 }, findings: [] },
    review: null,
  };
}
