import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, errorOf } from "../support/api.ts";
import { expectNothingLeft } from "../support/leftovers.ts";
import { arrived, beforeUploads, redact } from "../support/resumable-uploads.ts";
import { uploadForm } from "../support/uploads.ts";

async function send(
  account: TestAccount,
  fields: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const form = await uploadForm();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return await call("/media/redact", { method: "POST", apiKey: account.apiKey, body: form, headers });
}

async function labelsOf(mediaId: string) {
  return await env.DB.prepare("SELECT folder, metadata, external_id AS externalId FROM media WHERE id = ?")
    .bind(mediaId)
    .first();
}

const metadata = { external_id: "ticket-4711", note: "" };

let owner: TestAccount;
let photo: Uint8Array<ArrayBuffer>;

beforeUploads((uploader) => ({ owner, photo } = uploader));

describe("folder and metadata are kept with the media", () => {
  test.for<{ fields: Record<string, string>; stored: unknown }>([
    { fields: {}, stored: { folder: null, metadata: null, externalId: null } },
    { fields: { folder: "", metadata: "{}" }, stored: { folder: null, metadata: null, externalId: null } },
    // Composed and decomposed letters are the same folder.
    {
      fields: { folder: "Fa\u0308lle/2026" },
      stored: { folder: "F\u00e4lle/2026", metadata: null, externalId: null },
    },
    {
      fields: { metadata: JSON.stringify(metadata) },
      stored: { folder: null, metadata: JSON.stringify(metadata), externalId: "ticket-4711" },
    },
  ])("$fields", async ({ fields, stored }) => {
    const response = await send(await createAccount(), fields);
    expect(response.status).toBe(201);
    // The schema is strict, so this checks that the item has exactly the contract's fields.
    const { id } = await bodyOf(response, mediaSchema);
    expect(await labelsOf(id)).toEqual(stored);
  });

  test("of a resumable upload, as JSON", async () => {
    const { uploadId } = await arrived(owner, photo);
    const response = await redact(owner, uploadId, { more: { folder: "a/b", metadata } });
    const { id } = await bodyOf(response, mediaSchema);
    expect(await labelsOf(id)).toEqual({
      folder: "a/b",
      metadata: JSON.stringify(metadata),
      externalId: "ticket-4711",
    });
  });

  test("and are no part of the idempotency fingerprint", async () => {
    const account = await createAccount();
    const key = { "Idempotency-Key": "labels" };
    const first = await send(account, { folder: "one" }, key);
    const again = await send(account, { folder: "two", metadata: '{"a":"b"}' }, key);
    expect(again.status).toBe(201);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await again.text()).toBe(await first.text());
  });
});

describe("a sentence says what is wrong", () => {
  const longKey = "k".repeat(41);
  test.for<{ fields: Record<string, string>; details: Record<string, string[]> }>([
    {
      fields: { folder: "a/../b" },
      details: {
        folder: [
          "`folder` has a part that is empty, `.` or `..`; expected names with `/` between them, such as `2026/photos`.",
        ],
      },
    },
    {
      fields: { folder: "a\u202eb" },
      details: {
        folder: [
          "`folder` contains control characters, or characters that change the direction of writing; expected names with `/` between them, such as `2026/photos`.",
        ],
      },
    },
    {
      fields: { folder: "f".repeat(501) },
      details: { folder: ["`folder` has 501 characters; the limit is 500."] },
    },
    { fields: { metadata: "{" }, details: { metadata: ['`metadata` is "{"; expected JSON.'] } },
    {
      fields: { metadata: '["a"]' },
      details: { metadata: ['`metadata` is ["a"]; expected a JSON object of texts.'] },
    },
    {
      fields: { metadata: JSON.stringify({ n: 7, [longKey]: "", external_id: "" }) },
      details: {
        metadata: [
          "`metadata.n` is 7; expected text.",
          `The key "${longKey}" of \`metadata\` has 41 characters; expected 1 to 40.`,
          "`metadata.external_id` has 0 characters; expected 1 to 200.",
        ],
      },
    },
    {
      fields: {
        metadata: JSON.stringify(Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, ""]))),
      },
      details: { metadata: ["`metadata` has 21 keys; the limit is 20."] },
    },
  ])("$details", async ({ fields, details }) => {
    const account = await createAccount();
    const response = await send(account, fields);
    expect(response.status).toBe(422);
    expect((await errorOf(response)).details).toEqual(details);
    await expectNothingLeft(account.accountId);
  });
});
