import { SAMPLE_BYTES, SAMPLES_PER_SECOND } from "../speech/samples.ts";
import type { TimeRange } from "../speech/speech-ranges.ts";
import type { PackagedNetwork } from "../models/packaged-network.ts";
import { invalid } from "../platform/errors.ts";

const CONTENT_TYPE = "application/octet-stream";
const DECIMALS = 1e3;

/** Finds speech. */
export interface SpeechFinder {
  readonly manifest: PackagedNetwork;
  listen(samples: Int16Array): Promise<TimeRange[]>;
}

/** @throws ServiceError `validation_failed` if a body is not declared as bytes. */
export function assertSamples(contentType: string | undefined): void {
  if (contentType?.split(";")[0]?.trim().toLowerCase() === CONTENT_TYPE) return;
  throw invalid(
    "content-type",
    `The Content-Type is ${JSON.stringify((contentType ?? "").slice(0, 64))}; expected ${CONTENT_TYPE}.`,
  );
}

/**
 * A body as 16-bit little-endian samples of one channel, without a copy.
 * @throws ServiceError `validation_failed` if it is empty or ends within a sample.
 */
export function samplesOf(body: Uint8Array): Int16Array {
  if (body.byteLength === 0 || body.byteLength % SAMPLE_BYTES !== 0) {
    throw invalid(
      "body",
      `The body has ${body.byteLength} bytes; expected 16-bit samples of one channel at ${SAMPLES_PER_SECOND} a second.`,
    );
  }
  return new Int16Array(body.buffer, body.byteOffset, body.byteLength / SAMPLE_BYTES);
}

/** The answer about some samples. */
export function speechAnswer(ranges: readonly TimeRange[], { id, version, sha256 }: PackagedNetwork) {
  return {
    speech: ranges.map(({ start, end }) => ({ start_seconds: rounded(start), end_seconds: rounded(end) })),
    models: [{ id, version, sha256 }],
  };
}

function rounded(seconds: number): number {
  return Math.round(seconds * DECIMALS) / DECIMALS;
}
