import type { UploadFile } from "../multipart.ts";
/** A file on disk for an upload: read as it is sent, and from its beginning on a retry. @throws when there is none */
export declare function openFile(path: string): Promise<UploadFile>;
