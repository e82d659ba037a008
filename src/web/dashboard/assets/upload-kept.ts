/** The tab's storage for unsent files of an upload. Closing the tab deletes the names. */
export const KEPT = "veil-unsent-";

/**
 * A file that was not sent as far as its page knows, and the key of its sending: a service that has it all the same answers that again. `why` says
 * why it was refused, if it was.
 */
export interface Unsent {
  readonly path: string;
  readonly sizeBytes: number;
  readonly idempotencyKey: string;
  readonly why?: string | undefined;
}

/** A file that has arrived. */
export interface Arrived {
  readonly path: string;
  readonly sizeBytes: number;
}

/** Keeps the files of an upload that are not sent, so that a page that is loaded anew can name them. */
export function keepUnsent(batchId: string, files: readonly Unsent[]) {
  try {
    if (files.length === 0) sessionStorage.removeItem(KEPT + batchId);
    else sessionStorage.setItem(KEPT + batchId, JSON.stringify(files));
  } catch {
    // Some browsers keep nothing, and some have no room: then the page names only what was uploaded.
  }
}
