import { VeilSignatureError } from "./errors.js";
const SIGNATURE = /^sha256=([0-9a-f]{64})$/;
/** A rotation makes two; what holds more is not the service's. */
const MAX_SIGNATURES = 4;
/**
 * Verifies a webhook and returns its event: one of the header's signatures must be the HMAC-SHA256 (RFC 2104) of the raw
 * body under one of the secrets. Signatures are compared in constant time by the platform's Web Crypto.
 *
 * @throws VeilSignatureError when it is not from the service, or too old
 */
export async function verifyWebhook(received) {
    const { signature, secrets, toleranceSeconds } = received;
    const body = bytesOf(received.body);
    const signatures = (signature ?? "").split(",", MAX_SIGNATURES).flatMap((text) => {
        const hex = SIGNATURE.exec(text.trim())?.[1];
        return hex === undefined ? [] : [fromHex(hex)];
    });
    if (signatures.length === 0)
        throw new VeilSignatureError("The header X-Service-Signature is missing or holds no signature.");
    const verdicts = await Promise.all([secrets].flat().map(async (secret) => await isSigned(secret, signatures, body)));
    if (!verdicts.includes(true))
        throw new VeilSignatureError("The body is not signed with any of the secrets.");
    const event = JSON.parse(new TextDecoder().decode(body));
    if (toleranceSeconds !== undefined && Date.now() - Date.parse(event.timestamp) > toleranceSeconds * 1000)
        throw new VeilSignatureError(`The event is of ${event.timestamp}, longer ago than is tolerated.`);
    return event;
}
async function isSigned(secret, signatures, body) {
    const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    const verdicts = await Promise.all(signatures.map(async (signature) => await crypto.subtle.verify("HMAC", key, signature, body)));
    return verdicts.includes(true);
}
function bytesOf(body) {
    return new Uint8Array(typeof body === "string" ? new TextEncoder().encode(body) : body);
}
function fromHex(hex) {
    return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
