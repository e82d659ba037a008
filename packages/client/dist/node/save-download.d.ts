import type { Stoppable, VeilClient } from "../client.ts";
import type { Download } from "../download.ts";
import { VeilError } from "../errors.ts";
/** How a redacted file is written. */
export interface SaveOptions extends Stoppable {
    /** Replaces a file that is there already. */
    readonly overwrite?: boolean;
    readonly onProgress?: (progress: {
        receivedBytes: number;
        totalBytes: number | undefined;
    }) => void;
}
/** There is a file of that name, and it may not be overwritten. */
export declare class OutputExistsError extends VeilError {
    readonly name = "OutputExistsError";
    readonly path: string;
    constructor(path: string);
}
/**
 * Downloads a redacted file to `path`. It is written under another name in the same folder and renamed once it is whole, so
 * `path` never holds a part of it, and nothing is left behind. A download that cannot go on where it broke off is begun anew.
 *
 * @throws OutputExistsError, VeilError, or what the file system says
 */
export declare function saveDownload(client: VeilClient, mediaId: string, path: string, options?: SaveOptions): Promise<Pick<Download, "contentType">>;
