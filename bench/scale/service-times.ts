import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../lib/report.ts";
import { assumed } from "./assumptions.ts";

const RESULTS = join(import.meta.dirname, "../results");

/** What the database takes and keeps, measured on the local service in the same run. */
export interface DatabaseTimes {
  readonly writeMs: number;
  readonly readMs: number;
  /** From the upload to the end of the job, without webhooks. */
  readonly writesAPhoto: number;
  readonly bytesAPhoto: number;
}

/** What each resource does for a medium, in milliseconds unless the name says otherwise. */
export interface ServiceTimes extends DatabaseTimes {
  /** One reading of a photo: by the networks on a card, and by one processor of its host. */
  readonly photoCardMs: number;
  readonly photoHostMs: number;
  /** The same of a frame of a video. */
  readonly frameCardMs: number;
  readonly frameHostMs: number;
  readonly uploadMs: number;
  readonly paintMs: number;
  readonly videoFrameMs: number;
}

/**
 * Reads the service times that other benchmarks measured and adds those of the database.
 *
 * A reading has two parts: the networks, which a GPU runs faster, and decoding, scaling and cutting, which the host does. The shares come
 * from `where-time-goes`, because the time of the whole reading was measured on a quieter machine.
 */
export function readServiceTimes(database: DatabaseTimes): ServiceTimes {
  const { cores } = resultsOf("inference").machine;
  const answerMs = figure("where-time-goes", "The detector's answer alone", "ms");
  const networkShare = figure("where-time-goes", "Its networks alone", "ms") / answerMs;
  const filmShare =
    figure("where-time-goes", "A film: its networks", "ms") /
    figure("where-time-goes", "A film: the detector's answers", "ms");
  const photoMs = figure("inference", "Looking for heads and plates at 4000×3000, one frame", "ms");
  const frameMs =
    1_000 / figure("inference", "Looking for heads and plates at 640×360, 1 frames a request", "frames/s");
  const paintMs = assumed("photoMegapixels") * figure("redaction", "baseline JPEG, blur", "ms/megapixel");
  return {
    ...database,
    photoCardMs: (photoMs * networkShare) / assumed("cardSpeedup"),
    photoHostMs: photoMs * (1 - networkShare) * cores,
    frameCardMs: (frameMs * filmShare) / assumed("cardSpeedup"),
    frameHostMs: frameMs * (1 - filmShare) * cores,
    uploadMs: figure("where-time-goes", "A photo: Upload: received and hashed", "ms"),
    paintMs: paintMs * (1 + assumed("thumbnails")),
    videoFrameMs: figure(
      "video",
      "Processor time of the Workers' process, storage and polls with it, for a frame",
      "ms",
    ),
  };
}

function resultsOf(benchmark: string): Report {
  return JSON.parse(readFileSync(join(RESULTS, `${benchmark}.json`), "utf8")) as Report;
}

/** The figure of a finding. Throws if the benchmark no longer has it. */
function figure(benchmark: string, claim: string, unit: string): number {
  const finding = resultsOf(benchmark).findings.find((one) => one.claim === claim && one.unit === unit);
  if (finding === undefined) throw new Error(`${benchmark}.json has no figure “${claim}” in ${unit}.`);
  return finding.measured;
}
