import { nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import { decryptSecret, encryptSecret } from "../../ground/platform/encrypted-secret.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { toBase64Url } from "../../ground/platform/ids.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import {
  findSigningKey,
  insertFirstKey,
  listReportKeys,
  type NewReportKey,
} from "./report-keys.repository.ts";

const ALGORITHM = "Ed25519";
/** The curve as a JWK names it (RFC 8037 §2). */
const CURVE = { kty: "OKP", crv: ALGORITHM } as const;

/** A public key as the JWK set lists it (RFC 7517, RFC 8037). */
interface PublicJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly alg: "EdDSA";
  readonly use: "sig";
  readonly kid: string;
  readonly x: string;
}

/** The public keys of all reports, those of replaced keys included. */
export interface PublicKeys {
  readonly keys: readonly PublicJwk[];
}

/**
 * Makes a key.
 *
 * @param encryptionKeys base64 keys of 32 bytes; the first one encrypts the private part
 */
export async function newReportKey(
  encryptionKeys: readonly string[],
  createdAt: number,
): Promise<NewReportKey> {
  const pair = (await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])) as CryptoKeyPair;
  const jwk = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  const { x: publicKey, d: privatePart } = jwk;
  if (publicKey === undefined || privatePart === undefined) throw new Error("The key has no parts.");
  const id = await thumbprintOf(publicKey);
  return { id, publicKey, privateKey: await encryptSecret(encryptionKeys, id, privatePart), createdAt };
}

/**
 * Signs a payload with the current key, which is made with the first report.
 *
 * @returns a JSON Web Signature in compact form (RFC 7515 §7.1)
 */
export async function signReport(
  config: Pick<ApiEnv, "MAIN_DB" | "WEBHOOK_SECRET_KEYS">,
  payload: string,
): Promise<string> {
  const encryptionKeys = config.WEBHOOK_SECRET_KEYS;
  const { id, publicKey, privateKey } = await currentKey(
    openDatabase(config.MAIN_DB, "primary"),
    encryptionKeys,
  );
  const d = await decryptSecret(encryptionKeys, id, privateKey);
  const key = await crypto.subtle.importKey("jwk", { ...CURVE, x: publicKey, d }, ALGORITHM, false, ["sign"]);
  const encoder = new TextEncoder();
  const header = JSON.stringify({ alg: "EdDSA", kid: id, typ: "veil-report+jws" });
  const signed = [header, payload].map((part) => toBase64Url(encoder.encode(part))).join(".");
  const signature = await crypto.subtle.sign(ALGORITHM, key, encoder.encode(signed));
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}

/** The public keys of all reports. */
export async function publicKeys(config: Pick<ApiEnv, "MAIN_DB">): Promise<PublicKeys> {
  const keys = await listReportKeys(openDatabase(config.MAIN_DB, "primary"));
  return {
    keys: keys.map(({ id: kid, publicKey: x }) => ({
      kty: CURVE.kty,
      crv: CURVE.crv,
      alg: "EdDSA",
      use: "sig",
      kid,
      x,
    })),
  };
}

async function currentKey(database: Database, encryptionKeys: readonly string[]) {
  const found = await withRetry(STORAGE_RETRY, async () => await findSigningKey(database));
  if (found !== undefined) return found;
  const made = await newReportKey(encryptionKeys, nowMs());
  await withRetry(STORAGE_RETRY, async () => {
    await insertFirstKey(database, made);
  });
  // Two requests may make the first key at once. Both use the one that was stored.
  const stored = await withRetry(STORAGE_RETRY, async () => await findSigningKey(database));
  if (stored === undefined) throw new Error("The first key for reports was not stored.");
  return stored;
}

/** The JWK thumbprint of a public key (RFC 7638 §3, RFC 8037 appendix A.3). */
async function thumbprintOf(x: string): Promise<string> {
  const members = JSON.stringify({ crv: CURVE.crv, kty: CURVE.kty, x });
  return toBase64Url(
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(members))),
  );
}
