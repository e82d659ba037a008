import { type RetryPolicy } from "./back-off.ts";
import { type Download } from "./download.ts";
import { VeilMediaError } from "./errors.ts";
import { type UploadFile } from "./multipart.ts";
import { type Fetch } from "./transport.ts";
import type { Media, MediaCollection, MediaQuery, RedactionCategory, RedactionMethod, StatusDetails, Usage } from "./types.ts";
/** How a client reaches the service. */
export interface VeilClientOptions {
    /** The address with its version, such as `https://veil.example.com/api/v1`; an origin alone gets the version. */
    readonly baseUrl: string;
    readonly apiKey: string;
    /** How often and how patiently faults that may pass are tried again. */
    readonly retry?: Partial<RetryPolicy>;
    /** An exchange in which nothing moves for so long is given up, and repeated. A minute unless said. */
    readonly idleTimeoutMs?: number;
    /** Lets the key and the files travel unencrypted to another machine. To this machine http is always accepted. */
    readonly allowHttp?: boolean;
    /** Sends the requests; the global `fetch` unless given. */
    readonly fetch?: Fetch;
}
/** Stops a call; it then throws the signal's reason. */
export interface Stoppable {
    readonly signal?: AbortSignal | undefined;
}
/** What to upload and what must disappear in it. */
export interface UploadRequest extends Stoppable {
    /** Read as it is sent, again on a retry. Node's `openAsBlob` makes one of a file on disk. */
    readonly file: UploadFile;
    /** The file's own name unless given. */
    readonly filename?: string;
    readonly categories: readonly RedactionCategory[];
    readonly method?: RedactionMethod;
    /** The same key on a retry of the same upload answers as the first time. One is made unless given. */
    readonly idempotencyKey?: string;
    /** Hears how much of the body has been sent; a retry begins from nothing. */
    readonly onProgress?: (progress: {
        sentBytes: number;
        totalBytes: number;
    }) => void;
}
/** How long a media item is waited for. */
export interface WaitOptions extends Stoppable {
    /** As long as it takes unless given. */
    readonly timeoutMs?: number;
    /** Hears of each look at the media item. */
    readonly onPoll?: (media: Media) => void;
}
/**
 * A client of the Veil API. Every call is repeated while its faults may pass by themselves, and throws a `VeilError`.
 *
 * ```ts
 * const veil = new VeilClient({ baseUrl: "https://veil.example.com/api/v1", apiKey });
 * const media = await veil.redact({ file, categories: ["heads", "license_plates"] });
 * const { body } = await veil.download(media.id);
 * ```
 *
 * Uploads are streamed: Node, Deno, Bun and Workers can, browsers based on Chromium over HTTP/2.
 */
export declare class VeilClient {
    #private;
    /** @throws VeilError when the base URL cannot be used */
    constructor(options: VeilClientOptions);
    /** Uploads a file and queues its redaction. However often it must be tried, one media item is made. */
    upload(request: UploadRequest): Promise<Media>;
    /** One media item as it is now. */
    get(mediaId: string, { signal }?: Stoppable): Promise<Media>;
    /** Polls a media item, less and less often, until it has ended: `completed`, `failed` or `quota_exceeded`. */
    wait(mediaId: string, { timeoutMs, onPoll, signal }?: WaitOptions): Promise<Media>;
    /** Uploads a file and waits until it is redacted. @throws VeilMediaError when it ends without a redacted file */
    redact(request: UploadRequest & Omit<WaitOptions, "signal">): Promise<Media>;
    /** How far a media item is, why it failed if it did, and when its files are deleted. */
    statusDetails(mediaId: string, { signal }?: Stoppable): Promise<StatusDetails>;
    /** The error that says why a media item ended without a redacted file. */
    mediaError(media: Media, { signal }?: Stoppable): Promise<VeilMediaError>;
    /** The redacted file of a completed media item, as a stream that goes on where it was when the connection breaks off. */
    download(mediaId: string, { signal }?: Stoppable): Promise<Download>;
    /** A page of the account's media, newest first. */
    list(query?: MediaQuery, { signal }?: Stoppable): Promise<MediaCollection>;
    /**
     * All media of a kind, newest first, page after page. Uploads that come in between move the pages; what they move onto
     * the next one is not given twice.
     */
    listAll(filter?: Omit<MediaQuery, "page" | "per_page">, { signal }?: Stoppable): AsyncGenerator<Media, void, undefined>;
    /** Deletes a media item and everything of it. */
    delete(mediaId: string, { signal }?: Stoppable): Promise<void>;
    /** Usage and limits of the current billing period. */
    usage({ signal }?: Stoppable): Promise<Usage>;
}
