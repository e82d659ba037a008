import { Hono } from "hono";
import { rateLimit } from "../../../intake/limits/rate-limit.middleware.ts";
import { findMedia } from "../../../records/media/media.repository.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { makeRetry } from "../../../intake/revisions/retry.service.ts";
import { versionRequestOf } from "../../../intake/revisions/version.http.ts";
import { MOST_RETRIED } from "../parts/retry.tsx";
import { DASHBOARD_PATH, parameterOf, teamOf, type DashboardEnv } from "../request/dashboard.http.ts";
import { isBatchId } from "../request/batch-id.ts";
import { withNotice, withRetryNotice } from "../request/notices.ts";
import { selectedIds } from "./selection.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import { VeilError, type ErrorCode } from "../../../ground/platform/errors.ts";
import { listRetryable } from "../../../intake/revisions/retry.repository.ts";
import type { VersionRequest } from "../../../intake/revisions/version.service.ts";

const PATH = `${DASHBOARD_PATH}/media`;

/** Retries of files that failed. */
export const retryRoutes = new Hono<DashboardEnv>();

retryRoutes.post("/selection/retry", rateLimit(), async (c) => {
  const { batch } = await c.req.parseBody();
  const page = typeof batch === "string" && isBatchId(batch) ? `${DASHBOARD_PATH}/batches/${batch}` : PATH;
  const ids = await selectedIds(c, MOST_RETRIED);
  if (ids.length === 0) return c.redirect(withNotice(page, "selection_empty"), 303);
  const { owned: _none, ...request } = versionRequestOf(c, "");
  return c.redirect(withRetryNotice(page, await retryFiles(request, ids)), 303);
});

retryRoutes.post("/:mediaId/retry", rateLimit(), async (c) => {
  const mediaId = parameterOf(c, "mediaId");
  const owned = { accountId: teamOf(c).accountId, mediaId };
  const row = await findMedia(openDatabase(c.get("config").DB, "primary"), owned);
  // A second click leads to the retry that the first one made.
  const currentId = row?.currentVersionId ?? undefined;
  if (currentId !== undefined) return c.redirect(`${PATH}/${currentId}`, 303);
  const request = { ...versionRequestOf(c, mediaId), idempotencyKey: undefined };
  const made = await makeRetry(request);
  return c.redirect(`${PATH}/${made.mediaId}`, 303);
});

/** How many files were retried, and how many could not be. */
interface RetriedFiles {
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
async function retryFiles(
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
