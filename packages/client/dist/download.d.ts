import { type Access } from "./transport.ts";
/** A redacted file on its way. */
export interface Download {
    /**
     * Goes on where it was when the connection breaks off. Ends with a fault when that cannot be, or when less came than was
     * announced. Read it or cancel it.
     */
    readonly body: ReadableStream<Uint8Array>;
    /** Such as `image/jpeg`. */
    readonly contentType: string;
    readonly sizeBytes: number | undefined;
}
/** Where the file is, and what stops its download. */
interface Source {
    readonly path: string;
    readonly signal: AbortSignal | undefined;
}
/** Begins a download; its body is watched until it has ended. */
export declare function openDownload(access: Access, source: Source): Promise<Download>;
export {};
