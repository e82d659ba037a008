import { toBase64Url } from "../../src/ground/platform/ids.ts";

const KEY_BYTES = 32;

/** A new key of AES-256 in base64url, as `WEBHOOK_SECRET_KEYS` takes it. */
export function newEncryptionKey(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}
