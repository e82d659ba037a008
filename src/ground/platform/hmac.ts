import { toHex } from "./ids.ts";

/** The HMAC-SHA256 (RFC 2104) of a message in lowercase hex, with a text as the key. */
export async function signHex(secret: string, message: Uint8Array): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const keyBytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey("raw", keyBytes, algorithm, false, ["sign"]);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, message)));
}
