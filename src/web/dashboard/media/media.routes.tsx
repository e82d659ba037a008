import { Hono } from "hono";
import { rateLimit } from "../../../intake/limits/rate-limit.middleware.ts";
import { listDeletions } from "../../../records/deletions/deletions.repository.ts";
import { keepsFileNames } from "../../../records/audit/name-rules.repository.ts";
import { outputKey, sourceKey } from "../../../records/media/media.objects.ts";
import { findMedia, type MediaOwnership, type MediaRow } from "../../../records/media/media.repository.ts";
import {
  findDownload,
  findSource,
  noSuchMedia,
  outputFile,
  outputToSave,
} from "../../../records/media/media.service.ts";
import { findBeside } from "../../../records/media/media-browse.repository.ts";
import { sendAudited } from "../../../records/media/download-audit.ts";
import { findInspected } from "../../../records/masking/photo-detections.repository.ts";
import { mediaSchema } from "../../../records/media/media.schemas.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { errorFields, log } from "../../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../../ground/platform/retry.ts";
import { findApprovals } from "../../../records/review/archive-facts.repository.ts";
import { findNotes } from "../../../records/review/review-notes.repository.ts";
import { findReview } from "../../../records/review/review-queue.repository.ts";
import { listRetryable } from "../../../intake/revisions/retry.repository.ts";
import { describeStatus } from "../../../records/media-api/status-details.service.ts";
import { addToBatch } from "../../../records/uploads/batches.repository.ts";
import { receiveUpload } from "../../../intake/uploads/upload.routes.ts";
import { describeVerification } from "../../../records/verification/verification.service.ts";
import {
  DASHBOARD_PATH,
  deedBy,
  parameterOf,
  teamOf,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
} from "../request/dashboard.http.ts";
import { approvalOf } from "../parts/archive.data.ts";
import { fileVersions, hiddenThingsOf } from "../versions/versions.data.ts";
import { removeFiles } from "./remove-files.ts";
import { isBatchId } from "../request/batch-id.ts";
import { noticeOf, withDeletionNotice } from "../request/notices.ts";
import { MediaPage } from "./media.pages.tsx";

export const mediaRoutes = new Hono<DashboardEnv>();

mediaRoutes.post("/", rateLimit(), async (c) => {
  const batchId = c.req.header("X-Upload-Batch");
  const work = receiveInBatch(c, batchId);
  // The upload must be completed even if its page is closed, so that it is there when the page is opened again.
  c.executionCtx.waitUntil(work.catch(() => undefined));
  return await work;
});

async function receiveInBatch(c: DashboardContext, batchId: string | undefined): Promise<Response> {
  const answer = await receiveUpload(c);
  if (batchId !== undefined && isBatchId(batchId) && answer.status === 201)
    await noteBatch(c, answer.clone(), batchId);
  return answer;
}

/** The file has arrived, so a failure to list it in its batch must not fail the response. */
async function noteBatch(c: DashboardContext, answer: Response, batchId: string): Promise<void> {
  const { id: mediaId } = mediaSchema
    .pick({ id: true })
    .loose()
    .parse(await answer.json());
  const { accountId } = teamOf(c);
  try {
    const database = openDatabase(c.get("config").DB, "primary");
    await withRetry(STORAGE_RETRY, async () => {
      await addToBatch(database, { accountId, mediaId }, { batchId, nowMs: nowMs() });
    });
  } catch (error) {
    log("warn", "upload.batch_not_noted", { requestId: c.get("requestId"), mediaId, ...errorFields(error) });
  }
}

mediaRoutes.get("/:mediaId", async (c) => {
  const config = c.get("config");
  const owned = ownedOf(c);
  const database = openDatabase(config.DB, "primary");
  const inspected = await findInspected(database, owned);
  if (inspected === undefined) {
    const one = { accountId: owned.accountId, mediaIds: [owned.mediaId] };
    const [deletion] = await listDeletions(database, one, { limit: 1 });
    if (deletion === undefined) throw noSuchMedia();
    return c.redirect(`${DASHBOARD_PATH}/deletions?id=${deletion.mediaId}`, 303);
  }
  const { row, revisionOf, analysisId, found } = inspected;
  const isDone = row.status === "completed";
  const sourceId = revisionOf ?? row.id;
  const [
    source,
    output,
    reviewed,
    advance,
    versions,
    approvals,
    notes,
    beside,
    retryable,
    keepsNames,
    verification,
  ] = await Promise.all([
    config.MEDIA.head(sourceKey({ ...owned, mediaId: sourceId })),
    isDone ? config.MEDIA.head(outputKey(owned)) : null,
    isDone ? findReview(database, owned) : undefined,
    isDone ? undefined : describeStatus(database, owned),
    fileVersions(database, row),
    findApprovals(database, owned.accountId, [row.id]),
    findNotes(database, owned.accountId, [row.id]),
    findBeside(database, row),
    listRetryable(database, owned.accountId, { ids: [row.id], nowMs: nowMs() }),
    keepsFileNames(database, owned.accountId),
    isDone ? describeVerification(database, owned) : undefined,
  ]);
  return c.html(
    <MediaPage
      viewer={viewerOf(c)}
      row={row}
      sourcePath={source === null ? undefined : `${DASHBOARD_PATH}/media/${sourceId}/source`}
      beside={beside}
      revisionOf={revisionOf}
      isRetry={revisionOf !== null && analysisId === row.id}
      canRetry={source !== null && retryable.has(row.id)}
      versions={versions}
      keepsNames={keepsNames}
      hasOutput={output !== null}
      review={reviewed?.review}
      approval={approvalOf(row.id, approvals)}
      notes={notes}
      uploadedMs={versions.at(-1)?.row.createdAt ?? row.createdAt}
      upload={versions.find((version) => version.row.id === sourceId)?.row}
      advance={advance}
      detections={hiddenThingsOf(found)}
      verification={verification}
      notice={noticeOf(c.req.query("notice"))}
    />,
  );
});

mediaRoutes.get("/:mediaId/source", async (c) => {
  const row = await mediaOf(c, ownedOf(c));
  const file = await findSource(c.get("config"), row);
  return await sendAudited(c, file, { kind: "media.original_viewed", mediaId: row.id });
});

mediaRoutes.get("/:mediaId/output", async (c) => {
  const config = c.get("config");
  const row = await findDownload(config, ownedOf(c));
  return await sendAudited(c, outputFile(config, row), { kind: "media.result_viewed", mediaId: row.id });
});

mediaRoutes.get("/:mediaId/download", async (c) => {
  const config = c.get("config");
  const row = await findDownload(config, ownedOf(c));
  return await sendAudited(c, outputToSave(config, row), { kind: "media.downloaded", mediaId: row.id });
});

mediaRoutes.post("/:mediaId/delete", async (c) => {
  const isRemoved = await removeFiles(c.get("config"), [ownedOf(c).mediaId], deedBy(c));
  if (!isRemoved) throw noSuchMedia();
  const list = `${DASHBOARD_PATH}/media`;
  return c.redirect(withDeletionNotice(list, "media_deleted", c.get("requestId")), 303);
});

function ownedOf(c: DashboardContext): MediaOwnership {
  return { accountId: teamOf(c).accountId, mediaId: parameterOf(c, "mediaId") };
}

async function mediaOf(c: DashboardContext, owned: MediaOwnership): Promise<MediaRow> {
  const row = await findMedia(openDatabase(c.get("config").DB, "primary"), owned);
  if (row === undefined) throw noSuchMedia();
  return row;
}
