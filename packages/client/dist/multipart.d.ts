import type { RepeatableBody } from "./transport.ts";
/** A file that can be read from its beginning more than once: a `Blob` or `File`, or anything of their kind. */
export interface UploadFile {
    /** In bytes. */
    readonly size: number;
    readonly name?: string;
    stream(): ReadableStream<Uint8Array>;
}
/**
 * A form with text fields and one file (RFC 7578, names as HTML's form submission escapes them). The file is read as it
 * is sent and never held.
 */
export declare function multipartBody(fields: readonly (readonly [name: string, value: string])[], file: UploadFile, filename: string): RepeatableBody;
