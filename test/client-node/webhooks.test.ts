import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import {
  VeilError,
  VeilSignatureError,
  verifyWebhook,
  type ReceivedWebhook,
} from "../../packages/client/src/index.ts";

const secret = "whsec_9Zb0nF1mJ3s";
const other = "whsec_Q7xk2Lw8Rt4";
const body = JSON.stringify({
  id: "evt_1",
  timestamp: new Date(Date.now() - 3_600_000).toISOString(),
  media: { filename: "Straße 7 – 🙂.jpg" },
});
const good = headerOf([secret]);
const bad = headerOf([other]);

function headerOf(secrets: readonly string[]): string {
  return secrets.map((key) => `sha256=${createHmac("sha256", key).update(body).digest("hex")}`).join(",");
}

test.for([
  ["signed", { signature: good }],
  ["the new secret first", { signature: headerOf([secret, other]) }],
  ["the old secret second", { signature: headerOf([other, secret]) }],
  ["a space after the comma", { signature: `${bad}, ${good}` }],
  ["a receiver that knows both", { signature: good, secrets: [other, secret] }],
  ["bytes", { signature: good, body: new TextEncoder().encode(body) }],
  ["a part of a larger buffer", { signature: good, body: Buffer.from(`x${body}`).subarray(1) }],
  ["younger than is tolerated", { signature: good, toleranceSeconds: 3_700 }],
] as const)("a webhook is accepted: %s", async ([, given]) => {
  expect(await verifyWebhook({ body, secrets: secret, ...given })).toEqual(JSON.parse(body));
});

test.for([
  ["another secret", { signature: bad }],
  ["another body", { signature: good, body: `${body} ` }],
  ["no body", { signature: good, body: "" }],
  ["no header", { signature: null }],
  ["an empty header", { signature: "" }],
  ["no scheme", { signature: good.slice("sha256=".length) }],
  ["another scheme", { signature: good.replace("sha256", "sha1") }],
  ["upper case", { signature: good.toUpperCase().replace("SHA", "sha") }],
  ["cut short", { signature: good.slice(0, -1) }],
  ["longer", { signature: `${good}0` }],
  ["commas alone", { signature: ",,," }],
  ["behind more signatures than there can be", { signature: `${`${bad},`.repeat(50)}${good}` }],
  ["older than is tolerated", { signature: good, toleranceSeconds: 3_500 }],
] as const)("a webhook is refused: %s", async ([, given]) => {
  await expect(verifyWebhook({ body, secrets: secret, ...given })).rejects.toBeInstanceOf(VeilSignatureError);
});

test.for([
  [null, "is missing."],
  ["", "is missing."],
  ["sha1=abc", "is malformed; expected sha256= and 64 hexadecimal digits."],
] as const)("the signature header %j says what is wrong with it", async ([signature, sentence]) => {
  await expect(verifyWebhook({ body, secrets: secret, signature })).rejects.toThrow(sentence);
});

test.for([
  ["no secrets", { secrets: [] }, "The signing secret is missing"],
  ["an environment variable that is not set", { secrets: undefined }, "The signing secret is missing"],
  ["an empty secret", { secrets: "" }, "The signing secret is missing"],
  ["an option of another name", { secret }, 'Unknown option "secret"'],
  ["a parsed body", { body: JSON.parse(body) as object }, "`body` is not raw"],
] as const)(
  "a mistake of the receiver is not taken for a forged webhook: %s",
  async ([, given, sentence]) => {
    const received = { body, signature: good, secrets: secret, ...given } as ReceivedWebhook;
    const error: unknown = await verifyWebhook(received).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(VeilError);
    expect(error).not.toBeInstanceOf(VeilSignatureError);
    expect((error as VeilError).message).toContain(sentence);
  },
);
