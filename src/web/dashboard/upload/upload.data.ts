import { detectorSettings } from "../../../work/detection/detector-settings.ts";
import { maxLengthBytes } from "../../../intake/uploads/resumable/tus.service.ts";
import { unservedCategories } from "../../../work/detection/served-categories.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import { failureOf } from "../../../records/media/media-failure.ts";
import { browseMedia } from "../../../records/media/media-browse.repository.ts";
import type { MediaStatus } from "../../../records/media/media.states.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { describeStatus } from "../../../records/media-api/status-details.service.ts";

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

/** The most videos whose progress is counted in one answer. Each takes a query. */
const MOST_COUNTED = 8;

/** The progress of one upload, for its row. */
interface UploadProgress {
  readonly id: string;
  readonly status: MediaStatus;
  readonly has_output: boolean;
  /** The share of processing that is done, 0…1; null if unknown. */
  readonly progress: number | null;
  /** Why there is no redacted file, as a sentence; null unless it failed. */
  readonly failure: string | null;
}

/** The progress of these media items of an account. Items that do not exist are left out. */
export async function readUploadProgress(
  config: ApiEnv,
  accountId: string,
  ids: readonly string[],
): Promise<readonly UploadProgress[]> {
  if (ids.length === 0) return [];
  const database = openDatabase(config.DB, "primary");
  const rows = await browseMedia(database, { accountId, ids }, { offset: 0, limit: ids.length });
  const counted = rows
    .filter(({ status, mediaType }) => status === "processing" && mediaType === "video")
    .slice(0, MOST_COUNTED);
  const shares = new Map(
    await Promise.all(
      counted.map(async ({ id }) => {
        const { progress } = await describeStatus(database, { accountId, mediaId: id });
        return [id, progress] as const;
      }),
    ),
  );
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    has_output: row.status === "completed" && row.outputSizeBytes !== null,
    progress: shares.get(row.id) ?? null,
    failure: failureOf(row)?.message ?? null,
  }));
}
