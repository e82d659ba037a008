import { writtenBox } from "../../pixels/geometry/box.ts";
import { hasEnded } from "../media/media.states.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import { noSuchMedia } from "../media/media.service.ts";
import type { Database } from "../../ground/platform/database.ts";
import { notFound } from "../../ground/platform/errors.ts";
import { findVerification } from "./verification.repository.ts";
import type { VerificationFinding } from "./verification.ts";
import type { VerificationResponse } from "./verification.schemas.ts";

/** Number of hexadecimal digits of a media ID in the IDs of its findings: the random end of a UUID version 7. */
const DIGITS = 12;

/** The second reading of a media item. @throws VeilError 404 if the account has no such media item or it is not completed */
export async function describeVerification(
  database: Database,
  owned: MediaOwnership,
): Promise<VerificationResponse> {
  const found = await findVerification(database, owned);
  if (found === undefined) throw noSuchMedia();
  if (found.status !== "completed")
    throw notFound(
      hasEnded(found.status)
        ? `This media item ended as ${found.status}, so it has no verification.`
        : `This media item is ${found.status}. Its verification is available once it is completed.`,
    );
  const { status, pictures, frames, findings } = found.verification;
  return {
    media_id: owned.mediaId,
    status,
    looked_at: { pictures, frames },
    findings: findings.map((finding, index) =>
      findingResponse(`fnd_${owned.mediaId.slice(-DIGITS)}_${index + 1}`, finding),
    ),
  };
}

function findingResponse(
  id: string,
  { kind, category, confidence, box, startSeconds, endSeconds }: VerificationFinding,
): VerificationResponse["findings"][number] {
  return {
    id,
    kind,
    category,
    confidence,
    box: writtenBox(box),
    ...(startSeconds !== undefined && { start_seconds: startSeconds }),
    ...(endSeconds !== undefined && { end_seconds: endSeconds }),
  };
}
