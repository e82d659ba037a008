import type { WebhookEvent } from "./types.ts";
/** A webhook as it arrived, and what it must be signed with. */
export interface ReceivedWebhook {
    /** The raw body, before anything has parsed it. */
    readonly body: Uint8Array | ArrayBuffer | string;
    /** The header `X-Service-Signature`. */
    readonly signature: string | null | undefined;
    /** The endpoint's signing secret; several while receivers change from one to the next. */
    readonly secrets: string | readonly string[];
    /**
     * Refuses events that are older. A failed delivery is repeated with the same time for more than a day, and an event can
     * be re-sent by hand for 30 days, so nothing is refused unless this is given. Against repetition keep the `id` of what
     * you have handled.
     */
    readonly toleranceSeconds?: number;
}
/**
 * Verifies a webhook and returns its event: one of the header's signatures must be the HMAC-SHA256 (RFC 2104) of the raw
 * body under one of the secrets. Signatures are compared in constant time by the platform's Web Crypto.
 *
 * @throws VeilSignatureError when it is not from the service, or too old
 */
export declare function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent>;
