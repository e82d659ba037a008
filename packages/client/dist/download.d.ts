import type { IdleWatch } from "./idle-watch.ts";
/** A redacted file on its way. */
export interface Download {
    /** Ends with a fault when it breaks off, or when less came than was announced. Read it or cancel it. */
    readonly body: ReadableStream<Uint8Array>;
    /** Such as `image/jpeg`. */
    readonly contentType: string;
    readonly sizeBytes: number | undefined;
}
/** The download that an answer holds; its body is watched until it has ended. */
export declare function downloadOf(response: Response, watch: IdleWatch): Download;
