/** Where the browser's tab keeps what of an upload is not sent. Names go when the tab is closed. */
const KEPT = "veil-unsent-";

/**
 * What of an upload was not sent, as paths; nothing where the browser keeps nothing.
 *
 * @param {string} batchId
 * @returns {readonly string[]}
 */
export function unsentOf(batchId) {
  try {
    /** @type {unknown} */
    const kept = JSON.parse(sessionStorage.getItem(KEPT + batchId) ?? "[]");
    return Array.isArray(kept) ? kept.filter((path) => typeof path === "string") : [];
  } catch {
    return [];
  }
}

/**
 * Keeps what of an upload is not sent, so that a page that is loaded anew can name it.
 *
 * @param {string} batchId
 * @param {readonly string[]} paths
 */
export function keepUnsent(batchId, paths) {
  try {
    if (paths.length === 0) sessionStorage.removeItem(KEPT + batchId);
    else sessionStorage.setItem(KEPT + batchId, JSON.stringify(paths));
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
  const id = (continued ?? "") === "" ? newId() : (continued ?? "");
  const missing = new Set(unsentOf(id));
  const isContinued = missing.size > 0;
  let kept = "";
  /**
   * What is missing of a file: it may be chosen by itself now, or with its folder.
   *
   * @param {string} path
   */
  const missingOf = (path) =>
    [...missing].find((one) => one === path || one.endsWith(`/${path}`) || path.endsWith(`/${one}`));
  return {
    id,
    /**
     * Whether a file of the upload that is continued has arrived already.
     *
     * @param {string} path
     */
    hasSent: (path) => isContinued && missingOf(path) === undefined,
    /**
     * Files are chosen to be sent.
     *
     * @param {readonly string[]} paths
     */
    begin(paths) {
      for (const path of paths) missing.delete(missingOf(path) ?? path);
      if (continued !== undefined) window.history.replaceState(undefined, "", `/dashboard/batches/${id}`);
    },
    /**
     * These are not sent yet.
     *
     * @param {readonly string[]} paths
     */
    keep(paths) {
      const all = [...missing, ...paths];
      if (all.join("\n") === kept) return;
      kept = all.join("\n");
      keepUnsent(id, all);
    },
  };
}
