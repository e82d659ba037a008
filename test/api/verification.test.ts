import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { verificationSchema } from "../../src/records/verification/verification.schemas.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, errorOf } from "../support/api.ts";
import { uploadForm } from "../support/uploads.ts";

const KEY = { "Idempotency-Key": "verify-1" };

/** Uploads the same photo. @returns the answer's status, and the ID of the media item */
async function send({ apiKey }: TestAccount, verify?: boolean, headers: Record<string, string> = {}) {
  const form = await uploadForm();
  if (verify !== undefined) form.append("verify", String(verify));
  const response = await call("/media/redact", { method: "POST", apiKey, body: form, headers });
  const { status } = response;
  return { status, id: status === 201 ? (await bodyOf(response, mediaSchema)).id : "" };
}

async function set({ accountId }: TestAccount, verifyPhotos: boolean | null): Promise<void> {
  await env.DB.prepare("UPDATE accounts SET verify_photos = ?2 WHERE id = ?1")
    .bind(accountId, verifyPhotos === null ? null : Number(verifyPhotos))
    .run();
}

async function requested({ apiKey }: TestAccount, id: string): Promise<boolean> {
  const response = await call(`/media/${id}?include=request`, { apiKey });
  const { request } = await response.json<{ request: { verify: boolean } }>();
  return request.verify;
}

async function complete(id: string): Promise<void> {
  await env.DB.prepare("UPDATE media SET status = 'completed', processed_at = 1 WHERE id = ?").bind(id).run();
}

test("an upload is read again by its own word, or else by its account's, or else because it is a photo", async () => {
  const account = await createAccount();
  expect(await requested(account, (await send(account)).id)).toBe(true);
  expect(await requested(account, (await send(account, false)).id)).toBe(false);
  await set(account, false);
  const { id } = await send(account);
  expect(await requested(account, id)).toBe(false);
  expect(await requested(account, (await send(account, true)).id)).toBe(true);
  await set(account, true);
  expect(await requested(account, id)).toBe(false);
});

test("another word is another upload, and another setting of the account is not", async () => {
  const account = await createAccount();
  const first = await send(account, undefined, KEY);
  await set(account, false);
  expect(await send(account, undefined, KEY)).toEqual(first);
  expect((await send(account, false, KEY)).status).toBe(409);
  expect((await send(account, true, KEY)).status).toBe(409);
});

test("a second reading is answered once the media item is completed, and is gone with it", async () => {
  const account = await createAccount();
  const { apiKey, accountId } = account;
  const { id } = await send(account);
  const path = `/media/${id}/verification`;
  const early = await call(path, { apiKey });
  expect(early.status).toBe(404);
  expect((await errorOf(early)).message).toBe(
    "This media item is queued. Its verification is available once it is completed.",
  );
  await complete(id);
  const none = await bodyOf(await call(path, { apiKey }), verificationSchema);
  expect(none).toEqual({
    media_id: id,
    status: "not_done",
    looked_at: { pictures: 0, frames: 0 },
    findings: [],
  });
  const findings = [
    {
      kind: "unseen_gap",
      category: "heads",
      confidence: 0.5,
      box: [0.1, 0.2, 0.3, 0.4],
      startSeconds: 1,
      endSeconds: 2,
    },
  ];
  await env.DB.prepare(
    `INSERT INTO media_verifications (media_id, account_id, status, pictures, frames, findings)
     VALUES (?, ?, 'findings', 0, 7, ?)`,
  )
    .bind(id, accountId, JSON.stringify(findings))
    .run();
  expect(await bodyOf(await call(path, { apiKey }), verificationSchema)).toEqual({
    media_id: id,
    status: "findings",
    looked_at: { pictures: 0, frames: 7 },
    findings: [
      {
        id: `fnd_${id.slice(-12)}_1`,
        kind: "unseen_gap",
        category: "heads",
        confidence: 0.5,
        box: { x: 0.1, y: 0.2, width: 0.3, height: 0.4 },
        start_seconds: 1,
        end_seconds: 2,
      },
    ],
  });
  expect((await call(`${path}?page=1`, { apiKey })).status).toBe(422);
  expect((await call(path, { apiKey: (await createAccount()).apiKey })).status).toBe(404);
  expect((await call(`/media/${id}`, { method: "DELETE", apiKey })).status).toBe(204);
  const left = await env.DB.prepare("SELECT count(*) AS total FROM media_verifications WHERE media_id = ?")
    .bind(id)
    .first<{ total: number }>();
  expect(left?.total).toBe(0);
});
