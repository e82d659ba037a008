import { env } from "cloudflare:workers";
import { makeRevision } from "../../src/revisions/revision.service.ts";
import { checkRevision } from "../../src/revisions/revision.schemas.ts";
import type { QueuedMedia } from "./jobs.ts";

/** Asks for a revision; what it is answered with is thrown or the new media. */
export async function revise(of: QueuedMedia, body: object, idempotencyKey?: string): Promise<QueuedMedia> {
  const order = checkRevision(body);
  if ("faults" in order) throw new Error(JSON.stringify(order.faults));
  const { mediaId } = await makeRevision({
    config: { ...env, IMAGE_JOBS: { sendBatch: async () => undefined } } as never,
    caller: { accountId: of.accountId, keyId: "key_test", anchorDay: 1 } as never,
    owned: of,
    order: order.value,
    origin: "http://veil.test",
    requestId: "req_revision",
    idempotencyKey,
  });
  return { accountId: of.accountId, mediaId };
}
