import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, callWith, errorOf } from "../support/api.ts";
import { png } from "../support/images.ts";
import { expectNothingLeft } from "../support/leftovers.ts";
import { field, filePart, multipart, pieces, streamOf } from "../support/multipart.ts";
import { upload, uploaded } from "../support/uploads.ts";

const MEBIBYTE = 1024 * 1024;
const BIG = await png({ width: 64, height: 64, paddingBytes: 6 * MEBIBYTE });

async function send(
  account: TestAccount,
  body: BodyInit,
  { boundary = "b", replaced = {} }: { boundary?: string; replaced?: object } = {},
): Promise<Response> {
  return await callWith(replaced, "/media/redact", {
    method: "POST",
    apiKey: account.apiKey,
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}`, "Idempotency-Key": "k" },
    body,
  });
}

/** Expects a 422 on `file` and nothing stored, and that the next upload with the same key and account succeeds. */
async function expectRefusal(account: TestAccount, response: Response, words: RegExp): Promise<void> {
  expect(response.status).toBe(422);
  const { details } = await errorOf(response);
  expect((details["file"] as string[])[0]).toMatch(words);
  await expectNothingLeft(account.accountId);
  const next = await upload(account.apiKey, {}, { "Idempotency-Key": "k" });
  expect(next.status).toBe(201);
  expect(next.headers.has("Idempotency-Replayed")).toBe(false);
}

/** A form whose first six megabytes arrive at once and the rest in small pieces with a pause before each. */
function dripOf(file: Uint8Array, pieceBytes: number, pauseMs: number): ReadableStream<Uint8Array> {
  const form = formWith(file);
  const atOnce = form.slice(0, 6 * MEBIBYTE - 100_000);
  const drops = pieces(form.slice(atOnce.length), [pieceBytes]);
  let isFirst = true;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (isFirst) controller.enqueue(atOnce);
      else {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        const next = drops.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      }
      isFirst = false;
    },
  });
}

function formWith(file: Uint8Array, filename = "a.png"): Uint8Array<ArrayBuffer> {
  return multipart("b", [filePart(file, filename), field("categories[]", "heads")]);
}

test("a slow upload that keeps the rate is taken in", async () => {
  const account = await createAccount();
  const response = await send(account, dripOf(BIG, 20_000, 100), {
    replaced: { UPLOAD_RATE_WINDOW_SECONDS: "1", UPLOAD_MIN_BYTES_PER_SECOND: "200" },
  });
  expect(response.status).toBe(201);
});

describe("a broken upload gets its error and leaves nothing", () => {
  test.for([
    ["before its file", 60],
    ["in its first bytes", 200],
    ["in its first part of storage", 3 * MEBIBYTE],
    ["after a part of storage was written", 6 * MEBIBYTE],
  ] as const)("hung up on %s", async ([, length]) => {
    const account = await createAccount();
    const body = streamOf(pieces(formWith(BIG).slice(0, length), [65_536]), "break");
    await expectRefusal(account, await send(account, body), /connection broke/);
  });

  test.for([10, 200, 3 * MEBIBYTE, 6 * MEBIBYTE])("cut off after %d bytes", async (length) => {
    const account = await createAccount();
    const body = streamOf(pieces(formWith(BIG).slice(0, length), [65_536]));
    await expectRefusal(account, await send(account, body), length === 10 ? /boundary/ : /cut off/);
  });

  test("stalled", async () => {
    const account = await createAccount();
    const body = streamOf(pieces(formWith(BIG).slice(0, 6 * MEBIBYTE), [65_536]), "stall");
    const response = await send(account, body, { replaced: { UPLOAD_IDLE_TIMEOUT_SECONDS: "1" } });
    await expectRefusal(account, response, /stopped arriving for 1 s/);
  });

  test("dripping, after a part of storage was written", async () => {
    const account = await createAccount();
    const response = await send(account, dripOf(BIG, 1, 50), {
      replaced: { UPLOAD_RATE_WINDOW_SECONDS: "1" },
    });
    const words = /^The body arrived too slowly: \d+ bytes in \d+ s; the minimum is 1000 bytes per second\.$/;
    await expectRefusal(account, response, words);
  });

  test("that never ends, at a good rate", async () => {
    const account = await createAccount();
    const response = await send(account, dripOf(BIG, 2_000, 50), {
      replaced: { UPLOAD_TIMEOUT_SECONDS: "1" },
    });
    await expectRefusal(account, response, /^The body took longer than 1 s to arrive\.$/);
  });

  test("of another boundary", async () => {
    const account = await createAccount();
    const response = await send(account, formWith(BIG), { boundary: "other" });
    await expectRefusal(account, response, /does not hold the boundary/);
  });

  test("of 10,000 tiny parts", async () => {
    const account = await createAccount();
    const file = filePart(await png({ width: 4, height: 4 }));
    const parts = Array.from({ length: 10_000 }, (_unused, index) => field(`f${index}`, "x"));
    await expectRefusal(
      account,
      await send(account, multipart("b", [file, ...parts])),
      /more parts than the limit of 100/,
    );
  });

  test("with a part header of 10 MB", async () => {
    const account = await createAccount();
    const file = filePart(await png({ width: 4, height: 4 }));
    const huge = { headers: [`X-Padding: ${"x".repeat(10_000_000)}`], body: new Uint8Array(0) };
    await expectRefusal(
      account,
      await send(account, multipart("b", [file, huge])),
      /larger than the limit of 16384 bytes/,
    );
  });

  test("with a file name that is a path", async () => {
    const account = await createAccount();
    const body = formWith(await png({ width: 4, height: 4 }), "../../x");
    await expectRefusal(account, await send(account, body), /is a path/);
  });

  test("past the size limit, after parts of storage were written, without reading on for ever", async () => {
    const account = await createAccount();
    let pulled = 0;
    const endless = function* () {
      const whole = formWith(BIG);
      for (const piece of pieces(whole.slice(0, 6 * MEBIBYTE), [65_536])) {
        pulled += piece.length;
        yield piece;
      }
      for (;;) {
        pulled += 65_536;
        yield new Uint8Array(65_536);
      }
    };
    const replaced = { MAX_FILE_BYTES: String(7 * MEBIBYTE) };
    await expectRefusal(account, await send(account, streamOf(endless()), { replaced }), /is larger than/);
    expect(pulled).toBeLessThan(300 * MEBIBYTE);
  });

  test("whose other field is wrong, found after the file was stored", async () => {
    const account = await createAccount();
    const body = multipart("b", [filePart(BIG), field("categories[]", "faces")]);
    const response = await send(account, body);
    expect(response.status).toBe(422);
    await expectNothingLeft(account.accountId);
  });
});

describe("large files", () => {
  test.for([5 * MEBIBYTE, 5 * MEBIBYTE + 1, 10 * MEBIBYTE, 12 * MEBIBYTE + 77])(
    "of %d bytes are stored to the byte",
    async (sizeBytes) => {
      const { apiKey, accountId } = await createAccount();
      const frame = await png({ width: 4, height: 4, paddingBytes: 1 });
      const file = await png({ width: 4, height: 4, paddingBytes: 1 + sizeBytes - frame.length });
      const sizes = [65_536, 1_000, 131_071];
      const response = await send({ apiKey, accountId, keyId: "" }, streamOf(pieces(formWith(file), sizes)));
      const media = await bodyOf(response, mediaSchema);
      expect(media.file_size_bytes).toBe(sizeBytes);
      const stored = await env.MEDIA.get(`${accountId}/${media.id}/source`);
      const digest = await crypto.subtle.digest("SHA-256", file);
      const storedDigest = await crypto.subtle.digest(
        "SHA-256",
        (await stored?.arrayBuffer()) ?? new Uint8Array(),
      );
      expect(new Uint8Array(storedDigest)).toEqual(new Uint8Array(digest));
    },
  );
});

describe("an upload that is under way", () => {
  test("is listed as pending; deleting it ends it with 404 and leaves nothing but the purge", async () => {
    const account = await createAccount();
    const whole = formWith(BIG);
    const held = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    const iterator = pieces(whole, [MEBIBYTE]);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent === 6) {
          held.resolve(undefined);
          await released.promise;
        }
        sent += 1;
        const next = iterator.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
    });
    const sending = send(account, body);
    await held.promise;
    const list = await (
      await call("/media", { apiKey: account.apiKey })
    ).json<{
      data: { id: string; status: string }[];
    }>();
    expect(list.data).toMatchObject([{ status: "pending" }]);
    const id = list.data[0]?.id ?? "";
    const removal = await call(`/media/${id}`, { apiKey: account.apiKey, method: "DELETE" });
    expect(removal.status).toBe(204);
    released.resolve(undefined);
    const response = await sending;
    expect(response.status).toBe(404);
    expect((await errorOf(response)).code).toBe("not_found");
    const objects = await env.MEDIA.list({ prefix: `${account.accountId}/` });
    expect(objects.objects).toEqual([]);
    expect((await call(`/media/${id}`, { apiKey: account.apiKey })).status).toBe(404);
    await uploaded(account.apiKey);
  });
});
