import { deedOf, type Caller } from "../accounts/caller.ts";
import type { Done } from "../audit/audit.repository.ts";
import { sendPermits } from "../jobs/permits.ts";
import { requestedId } from "../masking/detection-ids.ts";
import { timeFaultsOf } from "../masking/region-sentences.ts";
import { requestedThings } from "../masking/requested-things.ts";
import { MOST_STORED_CHARACTERS, type PhotoDetections } from "../media/media-jobs.repository.ts";
import { findMedia, type MediaOwnership } from "../media/media.repository.ts";
import { mediaResponse } from "../media/media.schemas.ts";
import { FIRST_STATE } from "../media/media.states.ts";
import { nowMs } from "../platform/clock.ts";
import { openDatabase, type Database } from "../platform/database.ts";
import type { ApiEnv } from "../platform/env.ts";
import { validationFailed, type FieldErrors } from "../platform/errors.ts";
import { newUuid, sha256Hex } from "../platform/ids.ts";
import { errorFields, log } from "../platform/log.ts";
import {
  findIdempotencyRecord,
  freeIdempotencyKey,
  lockIdempotencyKey,
  type IdempotencyLock,
} from "../uploads/idempotency.repository.ts";
import { keyInUse, keyReused } from "../uploads/upload.errors.ts";
import { billingPeriod } from "../usage/billing-period.ts";
import { chooseDetections, unknownIds } from "./chosen-detections.ts";
import { findRevisable, fromStored } from "./revisable.ts";
import { alreadyDecided } from "./revision.errors.ts";
import {
  countRevisions,
  insertRevision,
  isWaitingForReview,
  type NewRevision,
  type ReviewDecision,
} from "./revision.repository.ts";
import type { RevisionOrder } from "./revision.schemas.ts";
import { faultsOfVideoOrder, optionsOfVideoRevision, type VideoRevision } from "./video-revision.ts";

/** Revisions that there may be of one source. */
const MOST_REVISIONS = 50;
/** Unknown ids that are named; more would be read by nobody. */
const MOST_NAMED = 20;

/** Who asks for a revision, of what, and how it is to be answered. */
export interface RevisionRequest {
  readonly config: ApiEnv;
  readonly caller: Caller;
  readonly owned: MediaOwnership;
  readonly order: RevisionOrder;
  readonly origin: string;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  /** Where it ends a review of the media. */
  readonly decision?: ReviewDecision;
  /** What else the audit trail tells of that decision. */
  readonly decisionDetail?: string | undefined;
}

/** The answer to a revision request. */
export interface RevisionAnswer {
  readonly body: string;
  readonly isReplay: boolean;
  readonly mediaId: string;
}

/**
 * Makes a new media from the kept source of another, with other things hidden. The detector is not asked again.
 *
 * @throws VeilError 404, 409 when there is nothing to revise or the idempotency key is taken, 422
 */
export async function makeRevision(request: RevisionRequest): Promise<RevisionAnswer> {
  const { config, owned, idempotencyKey: key } = request;
  const database = openDatabase(config.DB, "primary");
  const createdAt = nowMs();
  const mediaId = newUuid(createdAt);
  const fingerprint = await fingerprintOf(request);
  if (key === undefined) return await queueRevision(database, request, { mediaId, createdAt });
  const lock = { accountId: owned.accountId, key, lockId: mediaId };
  if (!(await lockIdempotencyKey(database, lock, createdAt)))
    return await replay(database, lock, fingerprint);
  try {
    return await queueRevision(database, request, { mediaId, createdAt, idempotency: { lock, fingerprint } });
  } catch (error) {
    await freeKey(database, lock, request.requestId);
    throw error;
  }
}

interface Making {
  readonly mediaId: string;
  readonly createdAt: number;
  readonly idempotency?: { readonly lock: IdempotencyLock; readonly fingerprint: string };
}

async function queueRevision(
  database: Database,
  request: RevisionRequest,
  { mediaId, createdAt, idempotency }: Making,
): Promise<RevisionAnswer> {
  const { config, caller, owned, order, origin, requestId } = request;
  const { parent, source, content } = await fromStored(owned.mediaId, async () => {
    const { row, ...revisable } = await findRevisable(config, database, owned);
    const made = { parent: row, order, found: revisable.found, mediaId };
    const isVideo = row.mediaType === "video";
    return {
      parent: row,
      source: revisable.source,
      content: isVideo ? await reviseVideo(config, database, made) : revisePhoto(made),
    };
  });
  const periodStart = billingPeriod(createdAt, caller.anchorDay).start;
  const redactionMethod = order.method ?? parent.redactionMethod;
  const row = { id: mediaId, redactionMethod, origin, requestId, createdAt, periodStart };
  const body = JSON.stringify(mediaResponse({ ...parent, ...row, ...NEW }, origin));
  const revision: NewRevision = {
    parent,
    firstMediaId: source.id,
    row,
    ...content,
    mostRevisions: MOST_REVISIONS,
    note: { deed: deedOf(caller, requestId, createdAt), done: doneBy(request, mediaId) },
    decision: request.decision,
    idempotency: idempotency && { ...idempotency, responseBody: body },
  };
  if (!(await isQueued(database, revision))) throw await refusal(database, request, source.id);
  await sendPermits(parent.mediaType === "image" ? config.IMAGE_JOBS : config.VIDEO_JOBS, [
    { mediaId, requestId },
  ]);
  return { body, isReplay: false, mediaId };
}

/** How the audit trail tells of a revision: by the review that it ends, or else by itself. */
function doneBy({ owned, decision, decisionDetail }: RevisionRequest, revisionId: string): Done {
  return decision === undefined
    ? { kind: "media.revised", subjectId: revisionId, detail: owned.mediaId }
    : {
        kind: `media.${decision}`,
        subjectId: owned.mediaId,
        detail: [revisionId, decisionDetail].filter((part) => part !== undefined).join(" "),
      };
}

const NEW = {
  status: FIRST_STATE.revision,
  processedAt: null,
  failedAt: null,
  outputSizeBytes: null,
  outputSha256: null,
} as const;

type Revising = VideoRevision & { readonly found: PhotoDetections };
type Content = Pick<NewRevision, "found" | "options">;

/** The detections that a photo's revision hides and leaves visible. @throws VeilError 422 */
function revisePhoto({ order, found, mediaId }: Revising): Content {
  refuseFaults({
    ...sentencesOf(unknownIds(order, found.detections)),
    ...nonEmpty("regions", timeFaultsOf("regions", order.regions)),
    ...(order.audio !== undefined && { audio: ["`audio` is sent for an image; it is for videos only."] }),
  });
  const requested = requestedThings(order.regions, found.orientation, (index) =>
    requestedId({ mediaId }, index),
  );
  const detections = [...chooseDetections(order, found.detections), ...requested];
  refuseTooMany(detections);
  return { found: { ...found, detections } };
}

/** What a video's revision hides: its job chooses by that. @throws VeilError 422 */
async function reviseVideo(
  { MEDIA }: Pick<ApiEnv, "MEDIA">,
  database: Database,
  { found, ...revision }: Revising,
): Promise<Content> {
  const { unknown, regions } = await faultsOfVideoOrder(MEDIA, revision);
  refuseFaults({ ...sentencesOf(unknown), ...nonEmpty("regions", regions) });
  const options = await optionsOfVideoRevision(database, revision);
  refuseTooMany(options);
  return { found, options };
}

function refuseFaults(faults: FieldErrors): void {
  if (Object.keys(faults).length > 0) throw validationFailed(faults);
}

function refuseTooMany(stored: unknown): void {
  if (JSON.stringify(stored).length <= MOST_STORED_CHARACTERS) return;
  const sentence =
    "`regions`, together with those of the revised media item, are too many to keep. Send fewer, or regions with fewer corners.";
  throw validationFailed({ regions: [sentence] });
}

function nonEmpty(field: string, sentences: readonly string[]): FieldErrors {
  return sentences.length > 0 ? { [field]: [...sentences] } : {};
}

function sentencesOf({ redact, except }: ReturnType<typeof unknownIds>): FieldErrors {
  return {
    ...(redact.length > 0 && { redact: [unknownSentence("redact", redact)] }),
    ...(except.length > 0 && { except: [unknownSentence("except", except)] }),
  };
}

function unknownSentence(field: string, ids: readonly string[]): string {
  const named = ids.slice(0, MOST_NAMED).join(", ");
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : "";
  return `\`${field}\` names ${named}${more}; expected IDs of this media item's detections.`;
}

async function isQueued(database: Database, revision: NewRevision): Promise<boolean> {
  try {
    return await insertRevision(database, revision);
  } catch (error) {
    // The batch may have been committed although its answer was lost.
    const { parent, row } = revision;
    log("warn", "revision.queue_unconfirmed", {
      requestId: row.requestId,
      mediaId: row.id,
      ...errorFields(error),
    });
    const owned = { accountId: parent.accountId, mediaId: row.id };
    if ((await findMedia(database, owned)) !== undefined) return true;
    throw error;
  }
}

/** Why the conditional statement that queues did not apply. */
async function refusal(
  database: Database,
  { config, owned, idempotencyKey, decision }: RevisionRequest,
  firstMediaId: string,
): Promise<Error> {
  await findRevisable(config, database, owned);
  if (decision !== undefined && !(await isWaitingForReview(database, owned))) return alreadyDecided();
  const made = await countRevisions(database, { accountId: owned.accountId, firstMediaId });
  if (made < MOST_REVISIONS && idempotencyKey !== undefined) return keyInUse();
  return validationFailed({
    media_id: [
      `The media has ${made} revisions; the limit is ${MOST_REVISIONS}. Delete one that is no longer needed.`,
    ],
  });
}

async function replay(
  database: Database,
  lock: IdempotencyLock,
  fingerprint: string,
): Promise<RevisionAnswer> {
  const record = await findIdempotencyRecord(database, lock);
  if (record === undefined || record.responseBody === null) throw keyInUse();
  if (record.fingerprint !== fingerprint) throw keyReused();
  return { body: record.responseBody, isReplay: true, mediaId: record.lockId };
}

async function freeKey(database: Database, lock: IdempotencyLock, requestId: string): Promise<void> {
  try {
    await freeIdempotencyKey(database, lock);
  } catch (error) {
    log("warn", "revision.key_not_freed", { requestId, ...errorFields(error) });
  }
}

/** SHA-256 over the media and the order: what makes revisions the same. */
async function fingerprintOf({ owned, order }: RevisionRequest): Promise<string> {
  const { redact, except, regions, method = null, audio = null } = order;
  const ids = typeof redact === "string" ? redact : [...redact].sort();
  return await sha256Hex(
    JSON.stringify(["revision", owned.mediaId, ids, [...except].sort(), regions, method, audio]),
  );
}
