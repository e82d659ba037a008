import { fromBase64Url, sha256Hex, toBase64Url } from "./ids.ts";

const FORMAT = "v1";
/** AES-GCM (NIST SP 800-38D §8.2): a random 96-bit nonce for each encryption. */
const NONCE_BYTES = 12;
const KEY_ID_CHARACTERS = 8;

/**
 * Encrypts a secret with AES-256-GCM for storage.
 *
 * @param keys base64 keys of 32 bytes; the first one is used
 * @param ownerId bound to the ciphertext, so that an owner cannot be given another owner's secret
 * @returns `v1.<key id>.<nonce>.<ciphertext>`, base64url
 */
export async function encryptSecret(
  keys: readonly string[],
  ownerId: string,
  secret: string,
): Promise<string> {
  const [key] = keys;
  if (key === undefined) throw new Error("There is no key to encrypt secrets with.");
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const ciphertext = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv: nonce, additionalData: new TextEncoder().encode(ownerId) },
    await importKey(key),
    new TextEncoder().encode(secret),
  );
  return [FORMAT, await keyId(key), toBase64Url(nonce), toBase64Url(new Uint8Array(ciphertext))].join(".");
}

/** Decrypts a secret that `encryptSecret` encrypted. @throws if no key matches or the ciphertext was tampered with */
export async function decryptSecret(
  keys: readonly string[],
  ownerId: string,
  stored: string,
): Promise<string> {
  const [format, wantedKeyId, nonce = "", ciphertext = ""] = stored.split(".");
  for (const key of keys) {
    if (format !== FORMAT || (await keyId(key)) !== wantedKeyId) continue;
    const plain = await crypto.subtle.decrypt(
      {
        name: "AES-GCM",
        iv: fromBase64Url(nonce),
        additionalData: new TextEncoder().encode(ownerId),
      },
      await importKey(key),
      fromBase64Url(ciphertext),
    );
    return new TextDecoder().decode(plain);
  }
  throw new Error("The secret was encrypted with a key that is not configured.");
}

async function keyId(key: string): Promise<string> {
  return (await sha256Hex(toBase64Url(fromBase64Url(key)))).slice(0, KEY_ID_CHARACTERS);
}

async function importKey(key: string) {
  return await crypto.subtle.importKey("raw", fromBase64Url(key), "AES-GCM", false, ["encrypt", "decrypt"]);
}
