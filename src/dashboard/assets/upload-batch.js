/** Where the browser's tab keeps what of an upload is not sent. Names go when the tab is closed. */
export const KEPT = "veil-unsent-";

/**
 * A file that was not sent as far as its page knows, and the key of its sending: a service that has it all the same answers that again.
 *
 * @typedef {{ readonly path: string, readonly sizeBytes: number, readonly idempotencyKey: string }} Unsent
 */

/** A file that has arrived. @typedef {{ readonly path: string, readonly sizeBytes: number }} Arrived */

/**
 * Keeps the files of an upload that are not sent, so that a page that is loaded anew can name them.
 *
 * @param {string} batchId
 * @param {readonly Unsent[]} files
 */
export function keepUnsent(batchId, files) {
  try {
    if (files.length === 0) sessionStorage.removeItem(KEPT + batchId);
    else sessionStorage.setItem(KEPT + batchId, JSON.stringify(files));
  } catch {
    // Some browsers keep nothing, and some have no room: then the page names only what was uploaded.
  }
}

/**
 * The files that are sent from one page. The page for uploads takes their address, so that they are there when it is loaded anew.
 *
 * @param {string | undefined} continued The upload that is continued; empty for a new one, undefined on other pages.
 * @param {() => string} newId
 */
export function createBatch(continued, newId) {
  const isContinued = continued !== undefined && continued !== "";
  const id = isContinued ? continued : newId();
  /** @type {Awaited<ReturnType<typeof import("./upload-arrived.js").continueBatch>> | undefined} */
  let before;
  let kept = "";
  return {
    id,
    /**
     * Asks the service which files of the upload that is continued have arrived.
     *
     * @param {HTMLElement | null} [section] Where the others are named.
     */
    async update(section) {
      if (!isContinued) return;
      const { continueBatch } = await import("./upload-arrived.js");
      before ??= continueBatch(id);
      await before.update(section);
    },
    /**
     * Whether a file of the upload that is continued has arrived already.
     *
     * @param {Arrived} file
     */
    hasSent: (file) => before?.hasSent(file) === true,
    /**
     * The key under which a file is sent: that of its first sending, where it was not known to arrive.
     *
     * @param {Arrived} file
     */
    take: (file) => before?.take(file) ?? newId(),
    /** Files begin to be sent. */
    begin() {
      if (continued !== undefined) window.history.replaceState(undefined, "", `/dashboard/batches/${id}`);
    },
    /**
     * These are not sent yet.
     *
     * @param {readonly Unsent[]} files
     */
    keep(files) {
      const all = [...(before?.missing() ?? []), ...files];
      const key = all.map(({ idempotencyKey }) => idempotencyKey).join("\n");
      if (key === kept) return;
      kept = key;
      keepUnsent(id, all);
    },
  };
}
