import type { ModelIdentity } from "../../ground/vocabulary/detection.schemas.ts";
import type { PhotoDetections } from "../../records/media/detections.ts";
import type { ClaimedMedia } from "../../records/media/media-jobs.repository.ts";
import { detectedId, requestedId } from "../../records/masking/detection-ids.ts";
import { keepDetections } from "../../records/masking/found-detections.ts";
import { findOrder, type MaskingOrder } from "../../records/masking/masking-options.repository.ts";
import { reasonsOfUpload, withReasons } from "../../records/masking/mask-reasons.ts";
import { findInspected } from "../../records/masking/photo-detections.repository.ts";
import type { MaskingOptions } from "../../records/masking/masking-options.ts";
import { requestedThings, storedOutlines } from "../../records/masking/requested-things.ts";
import type { MediaRow } from "../../records/media/media.repository.ts";
import { isImageFormat } from "../../ground/vocabulary/media-values.ts";
import type { StoredOutput } from "../../records/media/output-writer.ts";
import { outputKey } from "../../records/media/media.objects.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ImageEnv } from "../../ground/platform/env.ts";
import type { ReasonList } from "../../records/masking/reasons.schemas.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { readStoredOrientation, type Region } from "../../pixels/redaction/index.ts";
import { JobError } from "../../ground/platform/job-error.ts";
import { StoredDataError } from "../../ground/platform/stored-data.ts";
import {
  NOT_DONE,
  type Verification,
  type VerificationDraft,
} from "../../records/verification/verification.ts";
import { findDraft } from "../../records/verification/verification.repository.ts";
import { both } from "./settle-both.ts";
import { convertSource } from "./convert-source.ts";
import type { ClaimedImage } from "./image-claims.repository.ts";
import { lookAtPhoto } from "./look-at-photo.ts";
import { paintPhoto, regionsOf, type ClaimedPhoto } from "./paint-photo.ts";
import { storedSource, withPhoto, type StoredPhoto } from "./stored-photo.ts";
import { storeThumbnail } from "./thumbnail.ts";
import { isReadAgain, verifyPhoto } from "./verify-photo.ts";

/** The result of a redaction: the stored output, null if none was requested, and measurements. */
export interface Output {
  readonly output: StoredOutput | null;
  readonly found: PhotoDetections;
  /** The models that analyzed the source; empty for a revision. */
  readonly models: readonly ModelIdentity[];
  /** Undefined if the output was not to be read again. */
  readonly verification: Verification | undefined;
  readonly isRevision: boolean;
  readonly conversionMs: number;
  readonly detectionMs: number;
  readonly redactionMs: number;
  readonly thumbnailMs: number;
  readonly verificationMs: number;
}

/**
 * Converts a claimed image if its format requires it, detects, redacts, stores the output and reads it again if that is asked for.
 * An attempt that finds the output of an earlier one continues with the second reading.
 *
 * @throws DetectionError, RedactionError or JobError
 */
export async function redactImageOf(
  config: ImageEnv,
  database: Database,
  photo: ClaimedPhoto & Pick<ClaimedImage, "breaker">,
): Promise<Output> {
  const { format } = photo.row;
  if (!isImageFormat(format)) throw new JobError("not_an_image", true);
  const startedAtMs = nowMs();
  const order = await findOrder(database, photo.claimed);
  return await withPhoto(
    storedSource(config, order.source, format),
    async (source) => await redactSource(config, database, { ...photo, startedAtMs, order, source }),
  );
}

async function redactSource(
  config: ImageEnv,
  database: Database,
  {
    startedAtMs,
    order,
    source,
    ...photo
  }: ClaimedPhoto &
    Pick<ClaimedImage, "breaker"> & {
      readonly startedAtMs: number;
      readonly order: MaskingOrder;
      readonly source: StoredPhoto;
    },
): Promise<Output> {
  const { claimed, row, breaker } = photo;
  const { format } = source;
  const { isRevision, options } = order;
  const regionsIn = ({ detections }: PhotoDetections): Region[] => regionsOf(row, { detections, options });
  const paint = async (what: PhotoDetections): Promise<StoredOutput> => {
    const { orientation } = what;
    return await paintPhoto(config, database, { ...photo, source, orientation, regions: regionsIn(what) });
  };
  // Only an earlier attempt can have left a draft, and an attempt that was excused by the breaker is not counted.
  const draft =
    row.attempts > 1 || breaker !== undefined ? await storedDraft(config, database, claimed) : undefined;
  const times = { conversionMs: 0, detectionMs: 0, redactionMs: 0 };
  let { output, found, models } = draft ?? { output: null, found: undefined, models: [] };
  if (found === undefined) {
    const sizeBytes = await convertSource(config, database, { ...photo, source: order.source });
    const convertedAtMs = nowMs();
    ({ found, models } = isRevision
      ? { found: await revisedDetections(database, claimed), models: [] }
      : await lookAt(config, source, { row, options, sizeBytes, reasons: order.reasons }));
    const lookedAtMs = nowMs();
    output = options.isDetectOnly ? null : await paint(found);
    times.conversionMs = convertedAtMs - startedAtMs;
    times.detectionMs = lookedAtMs - convertedAtMs;
    times.redactionMs = nowMs() - lookedAtMs;
  }
  const made = {
    output,
    found,
    models,
    verification: undefined,
    isRevision,
    ...times,
    thumbnailMs: 0,
    verificationMs: 0,
  };
  if (output === null) return made;
  const paintedAtMs = nowMs();
  const picture = { row, format, orientation: found.orientation };
  const { sizeBytes } = output;
  const storeFirst = async (): Promise<void> =>
    await storeThumbnail(config, claimed, { ...picture, sizeBytes });
  if (!isReadAgain(photo, order)) {
    await storeFirst();
    return { ...made, thumbnailMs: nowMs() - paintedAtMs };
  }
  // The thumbnail would delay the request to the detector, so it is made while the detector works.
  const sent = Promise.withResolvers<void>();
  const reading = { ...photo, order, source, regionsIn, paint, onSent: sent.resolve };
  const painted = { output, found, models };
  const [verified] = await both(
    verifyPhoto(config, database, { painted, isDrafted: draft !== undefined, reading }).finally(sent.resolve),
    sent.promise.then(storeFirst),
  );
  const verifiedAtMs = nowMs();
  if (verified.output !== output)
    await storeThumbnail(config, claimed, { ...picture, sizeBytes: verified.output.sizeBytes });
  const thumbnailMs = nowMs() - verifiedAtMs;
  return { ...made, ...verified, thumbnailMs, verificationMs: verifiedAtMs - paintedAtMs };
}

/** The output of earlier attempts that was never read again. Undefined if there is none. */
export async function unreadOutput(
  config: ImageEnv,
  database: Database,
  { claimed }: Pick<ClaimedPhoto, "claimed">,
): Promise<Output | undefined> {
  const draft = await storedDraft(config, database, claimed);
  if (draft === undefined) return undefined;
  const { isRevision } = await findOrder(database, claimed);
  const times = { conversionMs: 0, detectionMs: 0, redactionMs: 0, thumbnailMs: 0, verificationMs: 0 };
  return { ...draft, verification: NOT_DONE, isRevision, ...times };
}

/** The draft of an earlier attempt, if its output is stored. */
async function storedDraft(
  config: ImageEnv,
  database: Database,
  claimed: ClaimedMedia,
): Promise<VerificationDraft | undefined> {
  const draft = await findDraft(database, claimed);
  if (draft === undefined) return undefined;
  const object = await withRetry(STORAGE_RETRY, async () => await config.MEDIA.head(outputKey(claimed)));
  return object?.size === draft.output.sizeBytes ? draft : undefined;
}

/** The detections that a revision hides and leaves visible, decided when it was requested. */
async function revisedDetections(database: Database, claimed: ClaimedMedia): Promise<PhotoDetections> {
  const found = (await findInspected(database, claimed))?.found;
  if (found === undefined || found === null) throw new StoredDataError("What was found is gone.");
  return found;
}

/** Decides what to hide in a photo, from the detector's result and the requested regions. */
async function lookAt(
  config: ImageEnv,
  source: StoredPhoto,
  {
    row,
    options,
    sizeBytes,
    reasons,
  }: { row: MediaRow; options: MaskingOptions; sizeBytes: number; reasons: ReasonList },
): Promise<Pick<Output, "found" | "models">> {
  const [{ detections: seen, models }, orientation] = await both(
    lookAtPhoto(config, source, { row, options, sizeBytes }),
    source.reads.unlessBroken(async () => await readStoredOrientation(source.open, source.format)),
  );
  const media = { mediaId: row.id };
  const kept = keepDetections(seen, {
    ignored: storedOutlines(options.ignoreRegions, orientation),
    newId: (index) => detectedId(media, index),
  });
  const requested = requestedThings(options.regions, orientation, (index) => requestedId(media, index));
  const all = [...kept.detections, ...requested];
  const found = { ...kept, ...withReasons(all, reasonsOfUpload(reasons, options)), orientation };
  return { found, models };
}
