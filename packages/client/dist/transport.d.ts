import { type RetryPolicy } from "./back-off.ts";
import { type VeilFileError } from "./errors.ts";
import { type IdleWatch } from "./idle-watch.ts";
/** Sends a request, as the global `fetch` does. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
/** Where the service is, and how patiently it is spoken to. */
export interface Access {
    readonly baseUrl: string;
    readonly apiKey: string;
    readonly fetch: Fetch;
    readonly retry: RetryPolicy;
    /** An exchange in which nothing moves for so long is given up, and repeated. */
    readonly idleTimeoutMs: number;
}
/** A request body that can be sent again from its beginning. */
export interface RepeatableBody {
    readonly contentType: string;
    readonly sizeBytes: number;
    /** A fresh stream of the whole body. */
    open(listener: BodyListener): ReadableStream<Uint8Array>;
}
/** Hears how a body is sent, and says when to stop. */
export interface BodyListener {
    readonly signal: AbortSignal;
    readonly onPiece: (bytes: number) => void;
    /** What the body is made of cannot be read. */
    readonly onFault: (fault: VeilFileError) => void;
}
/** One call of the API. */
export interface Call<T> {
    readonly method: "GET" | "POST" | "DELETE";
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: RepeatableBody;
    readonly onSent?: (sentBytes: number) => void;
    readonly signal?: AbortSignal | undefined;
    /** Whether a status besides 2xx is good; `attempt` counts repetitions so far. */
    readonly isGood?: (status: number, attempt: number) => boolean;
    /** Reads a good answer. Faults in it repeat the call. */
    readonly read: (response: Response, watch: IdleWatch) => Promise<T> | T;
}
/**
 * Makes a call, again and again while its faults may pass by themselves.
 *
 * @throws VeilApiError, VeilConnectionError or VeilTimeoutError of the last try, or the reason of the call's signal
 */
export declare function send<T>(access: Access, call: Call<T>): Promise<T>;
/** A platform's fault as one of the client's, or the reason for which the exchange was stopped. */
export declare function faultOf(fault: unknown, { signal }: IdleWatch): Error;
/** Reads an answer that is JSON of a type the contract promises. */
export declare function readJson<T>(response: Response): Promise<T>;
