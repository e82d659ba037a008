import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { findMediaById } from "../../src/records/media/media.repository.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { createAccount, suspendAccount } from "../support/accounts.ts";
import { answerDetections, deliver, oneHead, queuedMedia } from "../support/jobs.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("a job of a suspended account ends as any other, and its webhook is due", async () => {
  const { accountId } = await createAccount();
  await env.DB.prepare(
    `INSERT INTO webhook_endpoints (id, account_id, url, event_kinds, secret, created_at)
     VALUES (?1, ?2, 'https://93.184.216.34/hook', '["media.processed"]', 'unused', 1)`,
  )
    .bind(`whk_${accountId}`, accountId)
    .run();
  const { mediaId } = await queuedMedia(accountId);
  await suspendAccount(accountId);
  answerDetections(oneHead);
  await deliver(mediaId);
  vi.restoreAllMocks();
  const delivery = await env.DB.prepare("SELECT status FROM webhook_deliveries WHERE account_id = ?")
    .bind(accountId)
    .first();
  expect(delivery).toEqual({ status: "pending" });

  const media = await findMediaById(openDatabase(env.DB, "primary"), mediaId);
  expect(media).toMatchObject({ status: "completed", outputSizeBytes: expect.any(Number) as number });
});
