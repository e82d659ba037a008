import { createDetector } from "../detection/create-detector.ts";
import type { FrameDetections, ModelIdentity } from "../../ground/vocabulary/detection.schemas.ts";
import { detectorSettings } from "../detection/detector-settings.ts";
import { JobError } from "../../ground/platform/job-error.ts";
import type { MaskingOptions } from "../../records/masking/masking-options.ts";
import type { MediaRow } from "../../records/media/media.repository.ts";
import type { ImageEnv } from "../../ground/platform/env.ts";
import type { StoredPhoto } from "./stored-photo.ts";

/** The detections in a photo, and the models that found them. */
export interface PhotoLook {
  readonly detections: FrameDetections["detections"];
  readonly models: readonly ModelIdentity[];
}

/**
 * What the detector finds of the requested categories in a stored photo, at the requested sensitivity, with candidates below the
 * threshold.
 *
 * @param onSent called once the detector has been sent the photo. Until then, the Worker should compute nothing else.
 * @throws DetectionError or JobError
 */
export async function lookAtPhoto(
  config: ImageEnv,
  photo: StoredPhoto,
  {
    row,
    options,
    sizeBytes,
    onSent,
  }: {
    readonly row: MediaRow;
    readonly options: MaskingOptions;
    readonly sizeBytes: number;
    readonly onSent?: () => void;
  },
): Promise<PhotoLook> {
  const answer = await createDetector(detectorSettings(config)).detect({
    frames: [
      {
        format: photo.format,
        sizeBytes,
        widthPixels: row.widthPixels,
        heightPixels: row.heightPixels,
        open: async () => (await photo.openFile()).body,
      },
    ],
    categories: row.categories,
    sensitivity: options.minConfidence === undefined ? options.sensitivity : undefined,
    minConfidence: options.minConfidence,
    withCandidates: true,
    onSent,
    subject: { requestId: row.requestId, accountId: row.accountId, mediaId: row.id },
  });
  const [found] = answer.frames;
  if (found?.width !== row.widthPixels || found.height !== row.heightPixels) {
    throw new JobError("detector_saw_another_size", false);
  }
  const wanted = new Set(row.categories);
  return {
    detections: found.detections.filter(({ category }) => wanted.has(category)),
    models: answer.models,
  };
}
