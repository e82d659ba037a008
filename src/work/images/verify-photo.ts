import { detectedId } from "../../records/masking/detection-ids.ts";
import { keepDetections } from "../../records/masking/found-detections.ts";
import { reasonsOfUpload, withReasons } from "../../records/masking/mask-reasons.ts";
import { isVerifiedBy } from "../../records/masking/masking-options.ts";
import type { MaskingOrder } from "../../records/masking/masking-options.repository.ts";
import { storedOutlines } from "../../records/masking/requested-things.ts";
import type { PhotoDetections } from "../../records/media/detections.ts";
import type { StoredOutput } from "../../records/media/output-writer.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ImageEnv } from "../../ground/platform/env.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import type { Region } from "../../pixels/redaction/index.ts";
import { judgePhoto, type Judgement } from "../../records/verification/judge-photo.ts";
import { dropDraft, keepDraft } from "../../records/verification/verification.repository.ts";
import {
  NOT_DONE,
  type Verification,
  type VerificationDraft,
} from "../../records/verification/verification.ts";
import { lookAtPhoto } from "./look-at-photo.ts";
import type { ClaimedPhoto } from "./paint-photo.ts";
import { both } from "./settle-both.ts";
import { storedOutput, withPhoto, type StoredPhoto } from "./stored-photo.ts";
import { unpaintedIn } from "./unpainted.ts";

/** How often an output is painted again because of what a second reading found. */
const MOST_REPAINTS = 2;

/** How to read an output again. */
export interface SecondReading extends ClaimedPhoto {
  readonly order: MaskingOrder;
  readonly source: StoredPhoto;
  readonly regionsIn: (found: PhotoDetections) => readonly Region[];
  readonly paint: (found: PhotoDetections) => Promise<StoredOutput>;
  /** Called at each reading, when the detector has been sent the output. */
  readonly onSent: () => void;
}

/** Whether a photo's output must be read again. */
export function isReadAgain({ row }: Pick<ClaimedPhoto, "row">, order: MaskingOrder): boolean {
  return !order.options.isDetectOnly && isVerifiedBy(order.options, row.mediaType);
}

/**
 * Reads a stored output again. If something is visible that nobody left visible, it is painted and the output is read once more, at most
 * twice. With the draft in the database, another attempt can continue with the second reading.
 *
 * @throws DetectionError or JobError, to be retried
 */
export async function verifyPhoto(
  config: ImageEnv,
  database: Database,
  { painted, isDrafted, reading }: { painted: VerificationDraft; isDrafted: boolean; reading: SecondReading },
): Promise<VerificationDraft & { readonly verification: Verification }> {
  const { claimed } = reading;
  const { models } = painted;
  let { output, found } = painted;
  let draft = isDrafted ? "kept" : await keepDraft(database, claimed, painted);
  for (let repaints = 0; ; repaints += 1) {
    // A worker that lost the lease completes nothing.
    if (draft === "lost") return { output, found, models, verification: NOT_DONE };
    const judgement = await readOnce(config, reading, { output, found }).catch((error: unknown) => {
      if (draft === "kept") throw error;
      // Without a draft, another attempt would begin from the source and could end without any output.
      logNotVerified(reading, error);
    });
    if (judgement === undefined) return { output, found, models, verification: NOT_DONE };
    const mended = repaints < MOST_REPAINTS ? mend(found, judgement, reading) : undefined;
    // Another worker may have written the output after the lease was lost, so it must not be overwritten.
    if (mended === undefined || !(await dropDraft(database, claimed)))
      return { output, found, models, verification: resultOf(judgement) };
    output = await reading.paint(mended);
    found = mended;
    draft = await keepDraft(database, claimed, { output, found, models });
  }
}

function logNotVerified({ row }: SecondReading, error: unknown): void {
  const { requestId, id: mediaId } = row;
  log("warn", "image_job.not_verified", { requestId, mediaId, ...errorFields(error) });
}

async function readOnce(
  config: ImageEnv,
  { claimed, row, order, source, regionsIn, onSent }: SecondReading,
  { output, found }: Pick<VerificationDraft, "output" | "found">,
): Promise<Judgement> {
  const { options } = order;
  const { sizeBytes } = output;
  const [{ detections: seen }, unpainted] = await withPhoto(
    storedOutput(config, claimed, source.format),
    async (photo) => {
      const sent = Promise.withResolvers<void>();
      const look = lookAtPhoto(config, photo, { row, options, sizeBytes, onSent: sent.resolve });
      return await both(
        look.finally(sent.resolve),
        sent.promise.then(async () => {
          onSent();
          return await unpaintedIn(photo, { source, detections: found.detections });
        }),
      );
    },
  );
  return judgePhoto(seen, {
    size: { width: row.widthPixels, height: row.heightPixels },
    orientation: found.orientation,
    detections: found.detections,
    regions: regionsIn(found),
    unpainted,
    ignored: storedOutlines(options.ignoreRegions, found.orientation),
  });
}

/**
 * What to paint instead of what was painted. Undefined if there is nothing to add. Nothing is added to a revision, because a person
 * decided what it hides.
 */
function mend(
  found: PhotoDetections,
  { findings, missed }: Judgement,
  { claimed, order }: SecondReading,
): PhotoDetections | undefined {
  const isOfFirstReading = findings.length > missed.length;
  if (order.isRevision || missed.length === 0) return isOfFirstReading ? found : undefined;
  const known = found.detections.filter(({ isRequested }) => isRequested !== true).length;
  const { detections } = keepDetections(missed, {
    ignored: [],
    newId: (index) => detectedId(claimed, known + index),
  });
  const added = withReasons(detections, reasonsOfUpload(order.reasons, order.options));
  return {
    ...found,
    detections: [...found.detections, ...added.detections],
    reasonTexts: { ...added.reasonTexts, ...found.reasonTexts },
  };
}

function resultOf({ findings }: Judgement): Verification {
  return { status: findings.length === 0 ? "passed" : "findings", pictures: 1, frames: 0, findings };
}
