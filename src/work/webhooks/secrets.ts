import { toBase64Url } from "../../ground/platform/ids.ts";
import type { PreviousSecret } from "../../records/events/webhooks.table.ts";
import { signHex } from "../../ground/platform/hmac.ts";

const SECRET_MARK = "whsec_";
const SECRET_RANDOM_BYTES = 32;

/** Creates a signing secret: `whsec_` and 32 random bytes in base64url. The whole text is the key of the signature. */
export function newSigningSecret(): string {
  return `${SECRET_MARK}${toBase64Url(crypto.getRandomValues(new Uint8Array(SECRET_RANDOM_BYTES)))}`;
}

/** The replaced secrets of an endpoint that also sign at `atMs`, newest first. */
export function previousSecretsOf(
  stored: {
    readonly previousSecret: string | null;
    readonly previousSecretUntil: number | null;
    readonly earlierSecrets: readonly PreviousSecret[];
  },
  atMs: number,
): readonly PreviousSecret[] {
  const { previousSecret: secret, previousSecretUntil: until, earlierSecrets } = stored;
  const previous = secret === null || until === null ? [] : [{ secret, until }];
  return [...previous, ...earlierSecrets].filter((one) => one.until > atMs);
}

/**
 * The value of `X-Service-Signature`: `sha256=<lowercase hex>` of the HMAC-SHA256 (RFC 2104) over the raw body, one
 * for each secret, separated by commas. During a rotation the newest secret comes first.
 */
export async function signatureHeader(secrets: readonly string[], body: Uint8Array): Promise<string> {
  const signatures = await Promise.all(secrets.map(async (secret) => await signHex(secret, body)));
  return signatures.map((signature) => `sha256=${signature}`).join(",");
}
