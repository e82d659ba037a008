import { openDatabase } from "../../../ground/platform/database.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import { VeilError, type ErrorCode } from "../../../ground/platform/errors.ts";
import { listRetryable } from "../../../intake/revisions/retry.repository.ts";
import { makeRetry } from "../../../intake/revisions/retry.service.ts";
import type { VersionRequest } from "../../../intake/revisions/version.service.ts";

/** How many files were retried, and how many could not be. */
export interface RetriedFiles {
  readonly retried: number;
  readonly unretried: number;
}

/** Errors that concern one file only: the others are still retried. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "conflict",
  "not_found",
  "validation_failed",
  "quota_exceeded",
]);

/** Retries the files whose current version failed and can be retried. */
export async function retryFiles(
  request: Omit<VersionRequest, "owned" | "idempotencyKey">,
  ids: readonly string[],
): Promise<RetriedFiles> {
  const { accountId } = request.caller;
  const database = openDatabase(request.config.DB, "primary");
  const retryable = await listRetryable(database, accountId, { ids, nowMs: nowMs() });
  let retried = 0;
  for (const mediaId of retryable) {
    try {
      await makeRetry({ ...request, owned: { accountId, mediaId }, idempotencyKey: undefined });
      retried += 1;
    } catch (error) {
      if (!(error instanceof VeilError)) throw error;
      // The queue is full, so it refuses the others too.
      if (error.status === 503) break;
      if (!REFUSALS.has(error.code)) throw error;
    }
  }
  return { retried, unretried: new Set(ids).size - retried };
}
