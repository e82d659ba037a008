import { Hono } from "hono";
import { rateLimit } from "../../../intake/limits/rate-limit.middleware.ts";
import { findMedia } from "../../../records/media/media.repository.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { makeRetry } from "../../../intake/revisions/retry.service.ts";
import { versionRequestOf } from "../../../intake/revisions/version.http.ts";
import { retryFiles } from "./retry-files.ts";
import { MOST_RETRIED } from "../parts/retry.tsx";
import { DASHBOARD_PATH, parameterOf, teamOf, type DashboardEnv } from "../request/dashboard.http.ts";
import { isBatchId } from "../request/batch-id.ts";
import { withNotice, withRetryNotice } from "../request/notices.ts";
import { selectedIds } from "./selection.ts";

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
