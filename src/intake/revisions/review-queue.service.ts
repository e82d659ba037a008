import { deedOf, type Caller } from "../../records/accounts/caller.ts";
import { removeMedia } from "../../records/media/media.service.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { VeilError } from "../../ground/platform/errors.ts";
import { insertNote } from "../../records/review/review-notes.repository.ts";
import { seenInFullCode } from "../../records/review/seen-in-full.ts";
import { alreadyDecided } from "./revision.errors.ts";
import { makeRevision } from "./revision.service.ts";
import { cannotUndo, notInQueue, tooManyNotes } from "../../records/review/review-queue.errors.ts";
import {
  approveResult,
  findReview,
  reopen,
  sourceKeptUntil,
  type ReviewedMedia,
} from "../../records/review/review-queue.repository.ts";

/** A decision: who makes it, on which media item, and in which request. */
interface Decision {
  readonly config: ApiEnv;
  readonly caller: Caller;
  readonly mediaId: string;
  readonly origin: string;
  readonly requestId: string;
}

/** Whether a media item was only analyzed, so that its approval creates the result. */
export function isDetectOnly({ review }: Pick<ReviewedMedia, "review">): boolean {
  return review.reasons.some(({ kind }) => kind === "detect_only");
}

/**
 * Approves a media item. An item that has a result is only marked as approved. For an item that was only analyzed, a revision with the
 * marked detections hidden becomes the result.
 *
 * @returns the revision that was created, if any
 * @throws VeilError 404, 409 if the item no longer waits or cannot be revised
 */
export async function approve(
  decision: Decision & {
    /** Whether the reviewer saw the whole file; undefined if that was not reported. */
    readonly isSeenInFull?: boolean | undefined;
  },
): Promise<{ readonly revisionId: string | undefined }> {
  const { config, caller, mediaId, origin, requestId } = decision;
  const { accountId } = caller;
  const database = openDatabase(config.DB, "primary");
  const reviewed = await findReview(database, { accountId, mediaId });
  if (reviewed === undefined) throw notInQueue();
  if (reviewed.review.state !== "waiting") throw alreadyDecided();
  const detail = seenInFullCode(decision.isSeenInFull);
  if (!isDetectOnly(reviewed)) {
    const note = { deed: deedOf(caller, requestId), detail };
    if (!(await approveResult(database, mediaId, note))) throw alreadyDecided();
    return { revisionId: undefined };
  }
  const revision = await makeRevision({
    config,
    caller,
    owned: { accountId, mediaId },
    order: { redact: "all", except: [], regions: [] },
    origin,
    requestId,
    idempotencyKey: undefined,
    decision: "approved",
    decisionDetail: detail,
  });
  return { revisionId: revision.mediaId };
}

/**
 * Adds a reviewer's note to a file. The file keeps its place in the queue.
 *
 * @throws VeilError 404, 409 if the file has the most notes allowed
 */
export async function addNote({ config, caller, mediaId, requestId }: Decision, text: string): Promise<void> {
  const database = openDatabase(config.DB, "primary");
  if (await insertNote(database, { mediaId, text }, deedOf(caller, requestId))) return;
  if ((await findReview(database, { accountId: caller.accountId, mediaId })) === undefined)
    throw notInQueue();
  throw tooManyNotes();
}

/**
 * Undoes a decision by the same person: the media item waits again, and the revision that the decision created is deleted.
 *
 * @throws VeilError 404, 409 if somebody else decided or the item can no longer be viewed
 */
export async function undo({ config, caller, mediaId, requestId }: Decision): Promise<void> {
  const database = openDatabase(config.DB, "primary");
  const reviewed = await findReview(database, { accountId: caller.accountId, mediaId });
  if (reviewed === undefined) throw notInQueue();
  const { review } = reviewed;
  if (review.state !== "approved" && review.state !== "corrected")
    throw cannotUndo("This file is already waiting for review, or has expired.");
  if (review.decidedBy !== caller.userId) throw cannotUndo("Someone else has already decided on this file.");
  if (review.resultMediaId !== null) {
    // Without the original, the revision could not be created again.
    if (sourceKeptUntil(reviewed, nowMs()) === undefined)
      throw cannotUndo("The original is no longer kept, so this decision cannot be taken back.");
    await removeResult(config, review.resultMediaId, deedOf(caller, requestId));
  }
  if (!(await reopen(database, review, deedOf(caller, requestId))))
    throw cannotUndo("This file has changed in the meantime.");
}

/** Deletes a revision that may already be deleted. */
async function removeResult(...order: Parameters<typeof removeMedia>): Promise<void> {
  try {
    await removeMedia(...order);
  } catch (error) {
    if (!(error instanceof VeilError && error.code === "not_found")) throw error;
  }
}
