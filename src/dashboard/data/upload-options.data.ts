import { detectorSettings } from "../../detection/detector-settings.ts";
import { maxLengthBytes } from "../../tus/tus.service.ts";
import { unservedCategories } from "../../detection/served-categories.ts";
import type { ApiEnv } from "../../platform/env.ts";
import type { RedactionCategory } from "../../vocabulary/media-values.ts";

/** The options that this service offers for an upload. */
export interface UploadOptions {
  readonly served: readonly RedactionCategory[];
  readonly maxPhotoBytes: number;
  readonly maxVideoBytes: number;
  /** Whether the installed detector knows sensitivities. */
  readonly hasSensitivity: boolean;
}

/** Asks what can be offered to whoever uploads. */
export async function readUploadOptions(config: ApiEnv): Promise<UploadOptions> {
  const { served } = await unservedCategories(detectorSettings(config), []);
  return {
    served,
    maxPhotoBytes: config.MAX_FILE_BYTES,
    maxVideoBytes: maxLengthBytes(config),
    hasSensitivity: config.DETECTOR === "inference",
  };
}
