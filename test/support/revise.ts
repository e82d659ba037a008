import { env } from "cloudflare:workers";
import type { MediaOwnership } from "../../src/media/media.repository.ts";
import { checkRevision } from "../../src/revisions/revision.schemas.ts";
import { makeRevision } from "../../src/revisions/revision.service.ts";

const SILENT_QUEUE = { sendBatch: async () => undefined };

/** Asks for a revision; what it is refused with is thrown. */
export async function revise(
  of: MediaOwnership,
  body: object,
  idempotencyKey?: string,
): Promise<MediaOwnership> {
  const order = checkRevision(body);
  if ("faults" in order) throw new Error(JSON.stringify(order.faults));
  const { mediaId } = await makeRevision({
    config: { ...env, IMAGE_JOBS: SILENT_QUEUE, VIDEO_JOBS: SILENT_QUEUE } as never,
    caller: { accountId: of.accountId, keyId: "key_test", anchorDay: 1 } as never,
    owned: of,
    order: order.value,
    origin: "http://veil.test",
    requestId: "req_revision",
    idempotencyKey,
  });
  return { accountId: of.accountId, mediaId };
}
