import { env } from "cloudflare:workers";
import type { MediaOwnership } from "../../src/records/media/media.repository.ts";
import { checkRevision } from "../../src/intake/revisions/revision.schemas.ts";
import { makeRetry } from "../../src/intake/revisions/retry.service.ts";
import { makeRevision } from "../../src/intake/revisions/revision.service.ts";

const SILENT_QUEUE = { sendBatch: async () => undefined };

/** Requests a revision. Throws the error if it is refused. */
export async function revise(
  of: MediaOwnership,
  body: object,
  idempotencyKey?: string,
  database: D1Database = env.DB,
): Promise<MediaOwnership> {
  const order = checkRevision(body);
  if ("faults" in order) throw new Error(JSON.stringify(order.faults));
  const { mediaId } = await makeRevision({ ...requestOf(of, database), order: order.value, idempotencyKey });
  return { accountId: of.accountId, mediaId };
}

/** Requests a retry in an account without limits. Throws the error if it is refused. */
export async function retry(of: MediaOwnership, idempotencyKey?: string): Promise<MediaOwnership> {
  const { mediaId } = await makeRetry({ ...requestOf(of), idempotencyKey });
  return { accountId: of.accountId, mediaId };
}

function requestOf(of: MediaOwnership, database: D1Database = env.DB) {
  const caller = {
    accountId: of.accountId,
    keyId: "key_test",
    anchorDay: 1,
    imagesPerPeriod: null,
    videoMinutesPerPeriod: null,
  };
  return {
    config: {
      ...env,
      DB: database,
      DETECTOR: "inference",
      MAX_QUEUED_JOBS: 1_000,
      MAX_QUEUE_AGE_SECONDS: Infinity,
      IMAGE_JOBS: SILENT_QUEUE,
      VIDEO_JOBS: SILENT_QUEUE,
    } as never,
    caller: caller as never,
    owned: of,
    origin: "http://veil.test",
    requestId: "req_revision",
  };
}
