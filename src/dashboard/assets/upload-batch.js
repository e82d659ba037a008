import { keepUnsent } from "./upload-kept.js";

/** @typedef {import("./upload-kept.js").Unsent} Unsent */
/** @typedef {import("./upload-kept.js").Arrived} Arrived */

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
      const key = all.map(({ idempotencyKey, why }) => idempotencyKey + why).join("\n");
      if (key === kept) return;
      kept = key;
      keepUnsent(id, all);
    },
  };
}
