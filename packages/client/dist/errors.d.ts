import type { ErrorBody, ErrorCode, Media, MediaFailure } from "./types.ts";
/** What the client throws. Each kind is a class of its own; a stopped call throws the reason of its signal instead. */
export declare class VeilError extends Error {
    readonly name: string;
}
/** The service answered, and the answer is a refusal or a fault. */
export declare class VeilApiError extends VeilError {
    readonly name = "VeilApiError";
    readonly status: number;
    /** The code of the error envelope; undefined when something in between answered in the service's place. */
    readonly code: ErrorCode | undefined;
    readonly details: Readonly<Record<string, unknown>>;
    /** Identifies the request for support. */
    readonly requestId: string | undefined;
    readonly retryAfterSeconds: number | undefined;
    constructor(message: string, answer: {
        status: number;
        body?: ErrorBody | undefined;
        retryAfterSeconds?: number | undefined;
    });
    /** What is wrong with each field of a request that is not valid, in full sentences. */
    get fields(): Readonly<Record<string, readonly string[]>>;
}
/** The service could not be reached, or an exchange broke off; `cause` has the platform's fault. */
export declare class VeilConnectionError extends VeilError {
    readonly name = "VeilConnectionError";
}
/** The file of an upload cannot be read; `cause` says why. */
export declare class VeilFileError extends VeilError {
    readonly name = "VeilFileError";
}
/** Nothing moved for as long as the client waits, or a media item took longer than it was waited for. */
export declare class VeilTimeoutError extends VeilError {
    readonly name = "VeilTimeoutError";
}
/** A media item has ended without a redacted file: it failed, or did not fit the quota. */
export declare class VeilMediaError extends VeilError {
    readonly name = "VeilMediaError";
    readonly media: Media;
    /** Why, where the service could tell. */
    readonly failure: MediaFailure | undefined;
    constructor(media: Media, failure?: MediaFailure);
}
/** A webhook is not signed with any of the secrets, or is older than is tolerated. */
export declare class VeilSignatureError extends VeilError {
    readonly name = "VeilSignatureError";
}
