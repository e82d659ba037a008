import { deedOf } from "../../records/accounts/caller.ts";
import type { Done } from "../../records/audit/audit.repository.ts";
import { audioFaults } from "../../work/detection/served-categories.ts";
import { requestedId } from "../../records/masking/detection-ids.ts";
import { findOrder } from "../../records/masking/masking-options.repository.ts";
import { withReasons } from "../../records/masking/mask-reasons.ts";
import { timeFaultsOf } from "../../records/masking/region-sentences.ts";
import { requestedThings } from "../../records/masking/requested-things.ts";
import type { PhotoDetections } from "../../records/media/detections.ts";
import { MOST_STORED_CHARACTERS } from "../../records/media/media-jobs.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { validationFailed, type FieldErrors } from "../../ground/platform/errors.ts";
import { sha256Hex } from "../../ground/platform/ids.ts";
import { keyInUse } from "../uploads/upload.errors.ts";
import { billingPeriod } from "../../records/usage/billing-period.ts";
import { chooseDetections, unknownIds } from "./chosen-detections.ts";
import { findRevisable, fromStored } from "./revisable.ts";
import { alreadyDecided } from "./revision.errors.ts";
import {
  insertRevision,
  isWaitingForReview,
  type NewRevision,
  type ReviewDecision,
} from "./revision.repository.ts";
import { reasonsForRevision } from "./revision-reasons.ts";
import type { RevisionOrder } from "./revision.schemas.ts";
import { countVersions } from "./version.repository.ts";
import {
  makeVersion,
  queueVersion,
  type Making,
  type VersionAnswer,
  type VersionRequest,
} from "./version.service.ts";
import { faultsOfVideoOrder, optionsOfVideoRevision, type VideoRevision } from "./video-revision.ts";

/** The most revisions of one source. */
const MOST_REVISIONS = 50;
/** The most unknown IDs that an error names. Nobody would read more. */
const MOST_NAMED = 20;

/** A request for a revision: who makes it, of which media item, and its order. */
export interface RevisionRequest extends VersionRequest {
  readonly order: RevisionOrder;
  /** The decision, if it ends a review of the media item. */
  readonly decision?: ReviewDecision;
  /** Further details of that decision for the audit trail. */
  readonly decisionDetail?: string | undefined;
  /** Whether it makes an older version current again. */
  readonly isRestored?: boolean;
}

/**
 * Creates a new media item from the stored source of another, with other things hidden. The detector does not run again.
 *
 * @throws VeilError 404, 409 if there is nothing to revise or the idempotency key is taken, 422
 */
export async function makeRevision(request: RevisionRequest): Promise<VersionAnswer> {
  const fingerprint = await fingerprintOf(request);
  return await makeVersion(
    request,
    fingerprint,
    async (database, making) => await queueRevision(database, request, making),
  );
}

async function queueRevision(
  database: Database,
  request: RevisionRequest,
  { mediaId, createdAt, idempotency }: Making,
): Promise<string> {
  const { config, caller, owned, order, origin, requestId, decision } = request;
  const { parent, firstMediaId, analysisMediaId, content } = await fromStored(owned.mediaId, async () => {
    const { row, source, analysisId, found } = await findRevisable(config, database, owned);
    const made = { parent: row, order, found, mediaId };
    const isVideo = row.mediaType === "video";
    return {
      parent: row,
      firstMediaId: source.id,
      analysisMediaId: analysisId,
      content: isVideo ? await reviseVideo(config, database, made) : await revisePhoto(database, made),
    };
  });
  const row = {
    id: mediaId,
    redactionMethod: order.method ?? parent.redactionMethod,
    origin,
    requestId,
    createdAt,
    periodStart: billingPeriod(createdAt, caller.anchorDay).start,
    // The upload was already counted.
    quotaUnits: 0,
  };
  const note = { deed: deedOf(caller, requestId, createdAt), done: doneBy(request, mediaId) };
  return await queueVersion(request, database, {
    parent,
    row,
    idempotency,
    insert: async (kept) =>
      await insertRevision(database, {
        parent,
        firstMediaId,
        analysisMediaId,
        row,
        ...content,
        mostVersions: MOST_REVISIONS,
        note,
        decision,
        idempotency: kept,
      }),
    refusal: async () => await refusal(database, request, firstMediaId),
  });
}

/** How the audit trail records a revision: as the review that it ends, or else as a revision. */
function doneBy({ owned, decision, decisionDetail, isRestored }: RevisionRequest, revisionId: string): Done {
  return decision === undefined
    ? {
        kind: isRestored === true ? "media.restored" : "media.revised",
        subjectId: revisionId,
        detail: owned.mediaId,
      }
    : {
        kind: `media.${decision}`,
        subjectId: owned.mediaId,
        detail: [revisionId, decisionDetail].filter((part) => part !== undefined).join(" "),
      };
}

type Revising = VideoRevision & { readonly found: PhotoDetections };
type Content = Pick<NewRevision, "found" | "options">;

/** The detections that a photo's revision hides and leaves visible, with their reasons. @throws VeilError 422 */
async function revisePhoto(
  database: Database,
  { parent, order, found, mediaId }: Revising,
): Promise<Content> {
  const reasons = await reasonsForRevision(database, { parent, order, kept: found.reasonTexts ?? {} });
  refuseFaults({
    ...joinFaults(
      sentencesOf(unknownIds(order, found.detections)),
      nonEmpty("regions", timeFaultsOf("regions", order.regions)),
      reasons.faults,
    ),
    ...(order.audio !== undefined && { audio: ["`audio` is sent for an image; it is for videos only."] }),
    ...(order.muteRanges !== undefined && {
      mute_ranges: ["`mute_ranges` is sent for an image; it is for videos only."],
    }),
  });
  const requested = requestedThings(order.regions, found.orientation, (index) =>
    requestedId({ mediaId }, index),
  );
  const chosen = [...chooseDetections(order, found.detections), ...requested];
  const { detections, reasonTexts } = withReasons(chosen, reasons.source);
  refuseTooMany(detections);
  const parentOrder = await findOrder(database, { accountId: parent.accountId, mediaId: parent.id });
  const { isVerified } = parentOrder.options;
  const { burnsInReasons } = reasons;
  const options = {
    ...(isVerified !== undefined && { isVerified }),
    ...(burnsInReasons && { burnsInReasons }),
  };
  return {
    found: { ...found, detections, reasonTexts },
    options: Object.keys(options).length === 0 ? undefined : options,
  };
}

/** What a video's revision hides; its job applies it. @throws VeilError 422 */
async function reviseVideo(
  config: Pick<ApiEnv, "MEDIA" | "DETECTOR">,
  database: Database,
  { found, ...revision }: Revising,
): Promise<Content> {
  const { unknown, regions, muteRanges, kept } = await faultsOfVideoOrder(config.MEDIA, revision);
  const { options, faults } = await optionsOfVideoRevision(database, revision, kept);
  refuseFaults(
    joinFaults(
      sentencesOf(unknown),
      nonEmpty("regions", regions),
      nonEmpty("mute_ranges", muteRanges),
      nonEmpty("audio", audioFaults(config, revision.order.audio)),
      faults,
    ),
  );
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

/** All errors by field. A field with several errors lists them in order. */
function joinFaults(...all: readonly FieldErrors[]): FieldErrors {
  const joined: Record<string, string[]> = {};
  for (const faults of all)
    for (const [field, sentences] of Object.entries(faults))
      joined[field] = [...(joined[field] ?? []), ...sentences];
  return joined;
}

function sentencesOf({ redact, except, reasons }: ReturnType<typeof unknownIds>): FieldErrors {
  return {
    ...(reasons.length > 0 && { reasons: [unknownSentence("reasons", reasons)] }),
    ...(redact.length > 0 && { redact: [unknownSentence("redact", redact)] }),
    ...(except.length > 0 && { except: [unknownSentence("except", except)] }),
  };
}

function unknownSentence(field: string, ids: readonly string[]): string {
  const named = ids.slice(0, MOST_NAMED).join(", ");
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : "";
  return `\`${field}\` names ${named}${more}; expected IDs of this media item's detections.`;
}

/** Why the conditional statement that queues had no effect. */
async function refusal(
  database: Database,
  { config, owned, idempotencyKey, decision }: RevisionRequest,
  firstMediaId: string,
): Promise<Error> {
  await findRevisable(config, database, owned);
  if (decision !== undefined && !(await isWaitingForReview(database, owned))) return alreadyDecided();
  const made = await countVersions(database, { accountId: owned.accountId, firstMediaId }, "revisions");
  if (made < MOST_REVISIONS && idempotencyKey !== undefined) return keyInUse();
  return validationFailed({
    media_id: [
      `The media has ${made} revisions; the limit is ${MOST_REVISIONS}. Delete one that is no longer needed.`,
    ],
  });
}

/** SHA-256 of the media item and the order, which identifies equal revisions. */
async function fingerprintOf({ owned, order }: RevisionRequest): Promise<string> {
  const { redact, except, regions, method = null, audio = null, muteRanges } = order;
  const { reasons = {}, burnsInReasons } = order;
  const ids = typeof redact === "string" ? redact : [...redact].sort();
  const terms: unknown[] = ["revision", owned.mediaId, ids, [...except].sort(), regions, method, audio];
  const named = Object.entries(reasons).sort(([a], [b]) => a.localeCompare(b));
  // Properties that are absent leave the fingerprint as it was before they existed.
  if (muteRanges !== undefined) terms.push({ muteRanges });
  if (named.length > 0 || burnsInReasons !== undefined) terms.push({ named, burnsInReasons });
  return await sha256Hex(JSON.stringify(terms));
}
