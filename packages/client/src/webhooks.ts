import { VeilError, VeilSignatureError } from "./errors.ts";
import { refuseUnknown } from "./known-options.ts";
import type { WebhookEvent } from "./types.ts";

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;
/** The most signatures in a header. Four secrets can sign at once; a header with more is not from the service. */
const MAX_SIGNATURES = 4;

/** A webhook as it arrived, and the secrets to verify it with. */
export interface ReceivedWebhook {
  /** The raw body, before anything has parsed it. */
  readonly body: Uint8Array | ArrayBuffer | string;
  /** The header `X-Service-Signature`. */
  readonly signature: string | null | undefined;
  /** The endpoint's signing secret, or several while receivers switch from one to the next. */
  readonly secrets: string | readonly string[];
  /**
   * Rejects events that are older. A failed delivery is retried with the same time for more than a day, and an event can be
   * resent manually for 30 days, so nothing is rejected by default. To detect repetitions, store the `id` of the events you
   * have handled.
   */
  readonly toleranceSeconds?: number;
}

/**
 * Verifies a webhook and returns its event. One of the header's signatures must be the HMAC-SHA256 (RFC 2104) of the raw body
 * with one of the secrets. The platform's Web Crypto compares signatures in constant time.
 *
 * @throws VeilSignatureError if it is not from the service or is too old; another VeilError if there is no secret or the body
 * is not raw
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
  refuseUnknown(received, ["body", "signature", "secrets", "toleranceSeconds"]);
  const { signature, toleranceSeconds } = received;
  const secrets = secretsOf(received.secrets);
  const body = bytesOf(received.body);
  const signatures = (signature ?? "").split(",", MAX_SIGNATURES).flatMap((text) => {
    const hex = SIGNATURE.exec(text.trim())?.[1];
    return hex === undefined ? [] : [fromHex(hex)];
  });
  if (signatures.length === 0) {
    const fault = signature ? "malformed; expected sha256= and 64 hexadecimal digits" : "missing";
    throw new VeilSignatureError(`The header X-Service-Signature is ${fault}.`);
  }
  const verdicts = await Promise.all(secrets.map(async (secret) => await isSigned(secret, signatures, body)));
  if (!verdicts.includes(true))
    throw new VeilSignatureError("The body is not signed with any of the secrets.");
  const event = JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  if (toleranceSeconds !== undefined && Date.now() - Date.parse(event.timestamp) > toleranceSeconds * 1000)
    throw new VeilSignatureError(
      `The event is from ${event.timestamp}, which is older than the tolerance allows.`,
    );
  return event;
}

async function isSigned(
  secret: string,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const verdicts = await Promise.all(
    signatures.map(async (signature) => await crypto.subtle.verify("HMAC", key, signature, body)),
  );
  return verdicts.includes(true);
}

/** Without this check, an unset environment variable would become an empty key. */
function secretsOf(given: unknown): string[] {
  const secrets = [given].flat().filter((secret) => typeof secret === "string" && secret !== "");
  if (secrets.length === 0) throw new VeilError("The signing secret is missing; pass it as `secrets`.");
  return secrets as string[];
}

/** @throws VeilError for a body that was already parsed, whose bytes are lost */
function bytesOf(body: ReceivedWebhook["body"]): Uint8Array<ArrayBuffer> {
  // Test runners have buffers of another realm, for which `instanceof` is false.
  const isBuffer = Object.prototype.toString.call(body) === "[object ArrayBuffer]";
  const isRaw = typeof body === "string" || isBuffer || ArrayBuffer.isView(body);
  if (!isRaw)
    throw new VeilError("`body` is not raw; pass the request's bytes or text before anything parses them.");
  return new Uint8Array(typeof body === "string" ? new TextEncoder().encode(body) : body);
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
