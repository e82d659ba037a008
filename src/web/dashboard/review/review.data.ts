import { detectorSettings } from "../../../work/detection/detector-settings.ts";
import { thresholdsOf } from "../../../work/detection/served-categories.ts";
import { usersNamed } from "../../../records/accounts/users.repository.ts";
import { findOrder } from "../../../records/masking/masking-options.repository.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import { NO_RULES, type ReviewRules } from "../../../records/review/review-rules.schemas.ts";
import { findNotes, type ReviewNote } from "../../../records/review/review-notes.repository.ts";
import { findReviewRules } from "../../../records/review/review-rules.repository.ts";
import {
  MOST_COUNTED,
  countAround,
  countReviews,
  listDecided,
  listWaiting,
  sourceKeptUntil,
  type DecidedReview,
  type Place,
  type ReviewedMedia,
} from "../../../records/review/review-queue.repository.ts";
import { describeDetections } from "../../../records/media-api/detections.service.ts";
import type { VerificationResponse } from "../../../records/verification/verification.schemas.ts";
import { describeVerification } from "../../../records/verification/verification.service.ts";
import { editorData, type EditorData } from "../editor/editor.data.ts";

const SHOWN_WAITING = 25;
/** A working day. */
const DECIDED_MS = 12 * 3_600_000;
/** The most files in one ZIP. */
const MOST_DECIDED = 500;

/** The data of the queue page. */
export interface ReviewQueueData {
  readonly counts: { readonly waiting: number; readonly expired: number };
  readonly waiting: readonly ReviewedMedia[];
  readonly rules: ReviewRules;
  /** The viewer's recent decisions, latest first. */
  readonly decided: readonly DecidedReview[];
}

/** The first files of the queue, its length, and the rules that fill it. */
export async function readQueue(config: ApiEnv, accountId: string, userId: string): Promise<ReviewQueueData> {
  const database = openDatabase(config.DB, "primary");
  const [counts, waiting, rules, decided] = await Promise.all([
    countReviews(database, accountId),
    listWaiting(database, accountId, { nowMs: nowMs(), limit: SHOWN_WAITING }),
    findReviewRules(database, accountId),
    listDecided(database, { accountId, userId, sinceMs: nowMs() - DECIDED_MS, limit: MOST_DECIDED }),
  ]);
  return { counts, waiting, rules: rules ?? NO_RULES, decided };
}

/** A file's position in the queue. */
export interface QueuePlace {
  /** Counted from 1; undefined if the file does not wait or too many come before it to be counted. */
  readonly position: number | undefined;
  readonly waiting: number;
  /** Whether more may wait than are counted. */
  readonly isMore: boolean;
}

/** The current position of a file in the queue. */
export async function readPlace(
  config: ApiEnv,
  accountId: string,
  { review }: ReviewedMedia,
): Promise<QueuePlace> {
  const database = openDatabase(config.DB, "primary");
  const { flaggedAt, mediaId, state } = review;
  const { waiting, before } = await countAround(database, accountId, { flaggedAt, mediaId, nowMs: nowMs() });
  const isThere = state === "waiting" && before < waiting;
  return { position: isThere ? before + 1 : undefined, waiting, isMore: waiting >= MOST_COUNTED };
}

/** One media item to review. */
export interface ReviewItemData {
  readonly reviewed: ReviewedMedia;
  readonly place: QueuePlace;
  readonly notes: readonly ReviewNote[];
  /** The person who has decided, if anyone has. */
  readonly decidedBy: string | undefined;
  /** Whether a video's sound is removed. */
  readonly isMuted: boolean;
  /** The data of a photo's editor; undefined if the original is deleted or it is a video. */
  readonly editor: EditorData | undefined;
  /** What the second reading of the result found. */
  readonly findings: VerificationResponse["findings"];
  /** When the original will be deleted; undefined if it already is. */
  readonly sourceUntilMs: number | undefined;
}

/** The data of the page of one media item in the queue. */
export async function readItem(
  config: ApiEnv,
  accountId: string,
  reviewed: ReviewedMedia,
): Promise<ReviewItemData> {
  const database = openDatabase(config.DB, "primary");
  const { row, review } = reviewed;
  const sourceUntilMs = sourceKeptUntil(reviewed, nowMs());
  const isEdited = sourceUntilMs !== undefined && row.mediaType === "image";
  const owned = { accountId, mediaId: row.id };
  const [place, notes, names, order, found, thresholds, { findings }] = await Promise.all([
    readPlace(config, accountId, reviewed),
    findNotes(database, accountId, [row.id]),
    review.decidedBy === null
      ? undefined
      : usersNamed(openDatabase(config.MAIN_DB, "primary"), [review.decidedBy]),
    findOrder(database, owned),
    isEdited ? describeDetections(database, owned) : undefined,
    isEdited ? thresholdsOf(detectorSettings(config)) : undefined,
    describeVerification(database, owned),
  ]);
  return {
    reviewed,
    place,
    notes,
    decidedBy: names?.get(review.decidedBy ?? ""),
    isMuted: order.options.audio === "mute",
    editor: found && editorData(found, { thresholds, order }),
    findings,
    sourceUntilMs,
  };
}

/** The next media item in the queue after a position, or the one before it. */
export async function findNeighbor(
  config: ApiEnv,
  accountId: string,
  beside: { after?: Place; before?: Place },
): Promise<ReviewedMedia | undefined> {
  const database = openDatabase(config.DB, "primary");
  const [found] = await listWaiting(database, accountId, { ...beside, nowMs: nowMs(), limit: 1 });
  return found;
}
