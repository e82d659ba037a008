import { VeilReportError } from "./errors.ts";
import type { Report } from "./types.ts";

/** A public key that signs reports, as a JSON Web Key (RFC 7517, RFC 8037). */
export interface ReportKey {
  readonly kty: string;
  readonly crv?: string;
  readonly kid?: string;
  readonly x?: string;
}

/** The public keys of a service's reports: the JSON of its `/.well-known/jwks.json`. */
export interface ReportKeys {
  readonly keys: readonly ReportKey[];
}

/** A report that nobody has changed, and the key that signed it. */
export interface VerifiedReport {
  readonly report: Report;
  readonly keyId: string;
}

const HEADER_NAMES: ReadonlySet<string> = new Set(["alg", "kid", "typ"]);
const TYPE = "veil-report+jws";
const BASE64URL = /^[\w-]+$/;
/** 64 bytes in base64url. */
const SIGNATURE = /^[\w-]{86}$/;
const KNOWN_VERSION = 1;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Verifies a signed report with a service's public keys. Only EdDSA over Ed25519 counts (RFC 8037), and only these keys: a key or
 * an address of keys that the report brings along is refused.
 *
 * @param signed the report as the service sent it: the compact signature, or JSON with `payload` and `signature`
 * @throws VeilReportError with the reason
 */
export async function verifyReport(
  signed: string | Uint8Array | ArrayBuffer,
  keys: ReportKeys,
): Promise<VerifiedReport> {
  const { jws, payload: shown } = formOf(textOf(signed));
  const [header = "", payload = "", signature = "", ...more] = jws.split(".");
  if (more.length > 0 || ![header, payload, signature].every((part) => BASE64URL.test(part)))
    throw new VeilReportError("It is not a JSON Web Signature in compact form.");
  const keyId = keyIdOf(objectIn(header, "The header"));
  const key = await importKey(keys, keyId);
  const isWhole = SIGNATURE.test(signature);
  const signatureBytes = fromBase64Url(isWhole ? signature : "");
  // The last character of a base64url text has bits that do not count. They must be those that the service wrote.
  if (!isWhole || toBase64Url(signatureBytes) !== signature)
    throw new VeilReportError("The signature is malformed.");
  const bytes = new TextEncoder().encode(`${header}.${payload}`);
  if (!(await crypto.subtle.verify("Ed25519", key, signatureBytes, bytes)))
    throw new VeilReportError(
      "The signature does not match: the report was changed, or another key signed it.",
    );
  const report = objectIn(payload, "The payload");
  if (report["report_version"] !== KNOWN_VERSION)
    throw new VeilReportError(
      `The report has version ${String(report["report_version"])}; this package knows version ${KNOWN_VERSION}.`,
    );
  if (shown !== undefined && !isEqual(shown, report))
    throw new VeilReportError("The payload beside the signature is not the signed one.");
  return { report: report as unknown as Report, keyId };
}

function textOf(signed: string | Uint8Array | ArrayBuffer): string {
  if (typeof signed === "string") return withoutLineEnd(signed);
  try {
    return withoutLineEnd(UTF8.decode(signed));
  } catch {
    throw new VeilReportError("It is not text in UTF-8.");
  }
}

function withoutLineEnd(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** The compact signature, and the payload beside it if the report is JSON. */
function formOf(text: string): { readonly jws: string; readonly payload?: unknown } {
  if (!text.startsWith("{")) return { jws: text };
  const { payload, signature, ...more } = parseObject(text, "The report");
  if (typeof signature !== "string" || payload === undefined || Object.keys(more).length > 0)
    throw new VeilReportError("The report is JSON; expected exactly `payload` and `signature` in it.");
  return { jws: signature, payload };
}

function keyIdOf(header: Readonly<Record<string, unknown>>): string {
  const { alg, kid, typ } = header;
  if (alg !== "EdDSA")
    throw new VeilReportError(`The header has the algorithm ${JSON.stringify(alg)}; only EdDSA is accepted.`);
  const others = Object.keys(header).filter((name) => !HEADER_NAMES.has(name));
  if (others.length > 0)
    throw new VeilReportError(`The header has ${others.join(", ")}; expected only alg, kid and typ.`);
  if (typ !== TYPE)
    throw new VeilReportError(`The header has the type ${JSON.stringify(typ)}; expected ${TYPE}.`);
  if (typeof kid !== "string") throw new VeilReportError("The header names no key.");
  return kid;
}

async function importKey(keys: ReportKeys, keyId: string): Promise<CryptoKey> {
  const key = keys.keys.find(({ kid }) => kid === keyId);
  if (key === undefined)
    throw new VeilReportError(
      `The report names the key ${JSON.stringify(keyId)}, which is not among the keys.`,
    );
  const { kty, crv, x } = key;
  if (kty !== "OKP" || crv !== "Ed25519" || x === undefined)
    throw new VeilReportError(`The key ${JSON.stringify(keyId)} is not an Ed25519 key.`);
  try {
    return await crypto.subtle.importKey("jwk", { kty, crv, x }, "Ed25519", false, ["verify"]);
  } catch (cause) {
    throw new VeilReportError(`The key ${JSON.stringify(keyId)} cannot be used.`, { cause });
  }
}

function objectIn(part: string, subject: string): Record<string, unknown> {
  let text: string;
  try {
    text = UTF8.decode(fromBase64Url(part));
  } catch {
    throw new VeilReportError(`${subject} is malformed.`);
  }
  return parseObject(text, subject);
}

function parseObject(text: string, subject: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new VeilReportError(`${subject} is not JSON.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new VeilReportError(`${subject} is not a JSON object.`);
  return value as Record<string, unknown>;
}

/** Whether two values of JSON are equal, whatever the order of their members. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        isEqual((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
    )
  );
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    atob(text.replaceAll("-", "+").replaceAll("_", "/")),
    (character) => character.codePointAt(0) ?? 0,
  );
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
