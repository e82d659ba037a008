import { toHex } from "../platform/ids.ts";

/**
 * The value of `X-Service-Signature`: `sha256=<lower-case hex>` of the HMAC-SHA256 (RFC 2104) over the raw body, one
 * for each secret, separated by commas. During a rotation the new secret comes first.
 */
export async function signatureHeader(secrets: readonly string[], body: Uint8Array): Promise<string> {
  const signatures = await Promise.all(secrets.map(async (secret) => await hmacSha256Hex(secret, body)));
  return signatures.map((signature) => `sha256=${signature}`).join(",");
}

async function hmacSha256Hex(secret: string, body: Uint8Array): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, body)));
}
