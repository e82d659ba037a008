import { detectorSettings } from "../../../work/detection/detector-settings.ts";
import { maxLengthBytes } from "../../../intake/uploads/resumable/tus.service.ts";
import { unservedCategories } from "../../../work/detection/served-categories.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";

/** The options that this service offers for an upload. */
export interface UploadOptions {
  readonly served: readonly RedactionCategory[];
  readonly maxPhotoBytes: number;
  readonly maxVideoBytes: number;
  /** Whether the installed detector knows sensitivities. */
  readonly hasSensitivity: boolean;
}

/** Reads the options that this service offers. */
export async function readUploadOptions(config: ApiEnv): Promise<UploadOptions> {
  const { served } = await unservedCategories(detectorSettings(config), []);
  return {
    served,
    maxPhotoBytes: config.MAX_FILE_BYTES,
    maxVideoBytes: maxLengthBytes(config),
    hasSensitivity: config.DETECTOR === "inference",
  };
}
