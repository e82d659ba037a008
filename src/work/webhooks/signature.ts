import { signHex } from "../../ground/platform/hmac.ts";

/**
 * The value of `X-Service-Signature`: `sha256=<lowercase hex>` of the HMAC-SHA256 (RFC 2104) over the raw body, one
 * for each secret, separated by commas. During a rotation the newest secret comes first.
 */
export async function signatureHeader(secrets: readonly string[], body: Uint8Array): Promise<string> {
  const signatures = await Promise.all(secrets.map(async (secret) => await signHex(secret, body)));
  return signatures.map((signature) => `sha256=${signature}`).join(",");
}
