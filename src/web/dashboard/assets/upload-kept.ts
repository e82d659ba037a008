/** The tab's storage for unsent files of an upload. Closing the tab deletes the names. */
export const KEPT = "veil-unsent-";

/**
 * A file that was not sent as far as its page knows, and its idempotency key. If the service has the file after all, it repeats its
 * answer. `why` says why it was refused, if it was.
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

/** Stores the unsent files of an upload, so that the page can list them after a reload. */
export function keepUnsent(batchId: string, files: readonly Unsent[]) {
  try {
    if (files.length === 0) sessionStorage.removeItem(KEPT + batchId);
    else sessionStorage.setItem(KEPT + batchId, JSON.stringify(files));
  } catch {
    // The browser's storage may be disabled or full. The page then lists only uploaded files.
  }
}
