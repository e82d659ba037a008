import { randomToken, sha256Hex } from "../../ground/platform/ids.ts";

const KEY_MARK = "veil_";
const SHOWN_PREFIX_CHARACTERS = 12;

/** A newly created API key. `secret` is shown once and never stored. */
export interface NewApiKey {
  readonly secret: string;
  readonly prefix: string;
  readonly sha256: string;
}

/** Creates an API key: `veil_` and 32 random bytes in base64url. */
export async function newApiKey(): Promise<NewApiKey> {
  const secret = `${KEY_MARK}${randomToken()}`;
  return { secret, prefix: secret.slice(0, SHOWN_PREFIX_CHARACTERS), sha256: await sha256Hex(secret) };
}

/** The key of an `Authorization: Bearer <API_KEY>` header (RFC 6750 §2.1); null if the header does not have that form. */
export function bearerToken(header: string | undefined): string | null {
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header ?? "");
  return match?.[1] ?? null;
}
