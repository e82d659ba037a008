import { z } from "zod";

/** Prefixes of IDs by kind. Media IDs are bare UUIDs, as the contract requires. */
const ID_PREFIXES = {
  account: "acc",
  apiKey: "key",
  auditEntry: "aud",
  event: "evt",
  invitation: "inv",
  lease: "lease",
  request: "req",
  reviewNote: "note",
  user: "usr",
  webhookDelivery: "dlv",
  reconciliation: "rec",
  webhookEndpoint: "whe",
} as const;

type IdKind = keyof typeof ID_PREFIXES;

/**
 * A UUID version 7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, then random bits, so that later IDs sort later.
 *
 * @param nowMs milliseconds since the Unix epoch
 */
export function newUuid(nowMs: number = Date.now()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(nowMs / 0x1_0000_0000));
  view.setUint32(2, nowMs % 0x1_0000_0000);
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f));
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  const hex = toHex(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A new prefixed ID, such as `acc_01890a5d-…`. */
export function newId(kind: IdKind, nowMs?: number): string {
  return `${ID_PREFIXES[kind]}_${newUuid(nowMs)}`;
}

/** Schema of a prefixed ID. */
export function idSchema(kind: IdKind): z.ZodString {
  return z.string().regex(new RegExp(`^${ID_PREFIXES[kind]}_[0-9a-f-]{36}$`));
}

/** The hexadecimal form of each byte, precomputed because every request needs hundreds. */
const HEX = Array.from({ length: 256 }, (_unused, byte) => byte.toString(16).padStart(2, "0"));

/** Lowercase hexadecimal form of bytes. */
export function toHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += HEX[byte] ?? "";
  return hex;
}

/** The bytes of a hexadecimal text of even length. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

const BINARY_CHUNK_BYTES = 0x80_00;

/** Bytes in base64url without padding (RFC 4648 §5). */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  // Argument lists have a limited length.
  for (let at = 0; at < bytes.length; at += BINARY_CHUNK_BYTES)
    binary += String.fromCodePoint(...bytes.subarray(at, at + BINARY_CHUNK_BYTES));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Decodes base64 or base64url text, padded or not. @throws if it is neither */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.codePointAt(0) ?? 0);
}

/** SHA-256 (FIPS 180-4) of a UTF-8 text, as lowercase hexadecimal. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}

/** 32 random bytes in base64url: a secret that cannot be guessed. */
export function randomToken(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}
