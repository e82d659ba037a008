import { toBase64Url } from "../../src/ground/platform/ids.ts";

const KEY_BYTES = 32;

/** A new AES-256 key in base64url for `WEBHOOK_SECRET_KEYS`. */
export function newEncryptionKey(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}
