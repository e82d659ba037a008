/** Where the browser's tab keeps what of an upload is not sent. Names go when the tab is closed. */
const KEPT = "veil-unsent-";
const ASKING_MS = 10_000;
const MOST_NAMES = 20;

/**
 * A file that was not sent as far as its page knows, and the key of its sending: a service that has it all the same answers that again.
 *
 * @typedef {{ readonly path: string, readonly sizeBytes: number, readonly idempotencyKey: string }} Unsent
 */

/** A file that has arrived. @typedef {{ readonly path: string, readonly sizeBytes: number }} Arrived */

/**
 * What of an upload was not sent; nothing where the browser keeps nothing.
 *
 * @param {string} batchId
 * @returns {readonly Unsent[]}
 */
export function unsentOf(batchId) {
  try {
    /** @type {unknown} */
    const kept = JSON.parse(sessionStorage.getItem(KEPT + batchId) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isUnsent) : [];
  } catch {
    return [];
  }
}

/**
 * @param {unknown} kept
 * @returns {kept is Unsent}
 */
function isUnsent(kept) {
  if (typeof kept !== "object" || kept === null) return false;
  const { path, sizeBytes, idempotencyKey } = /** @type {Record<string, unknown>} */ (kept);
  return typeof path === "string" && typeof sizeBytes === "number" && typeof idempotencyKey === "string";
}

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
 * The files of an upload that have arrived; undefined where the service cannot be asked.
 *
 * @param {string} batchId
 * @returns {Promise<readonly Arrived[] | undefined>}
 */
async function askForArrived(batchId) {
  try {
    const answer = await fetch(`/dashboard/batches/${batchId}/files`, {
      signal: AbortSignal.timeout(ASKING_MS),
    });
    if (!answer.ok || answer.redirected) return undefined;
    const { files } = /** @type {{ files: readonly { path: string, size_bytes: number }[] }} */ (
      await answer.json()
    );
    return files.map(({ path, size_bytes: sizeBytes }) => ({ path, sizeBytes }));
  } catch {
    return undefined;
  }
}

/**
 * What of an upload has arrived, and what is still missing by that. A file arrives without its page's knowledge when the page is left
 * before the answer comes.
 *
 * @param {string} batchId
 * @param {readonly Unsent[]} unsent
 * @returns {Promise<{ readonly arrived: readonly Arrived[], readonly missing: readonly Unsent[] }>}
 */
export async function compareWithArrived(batchId, unsent) {
  const arrived = (await askForArrived(batchId)) ?? [];
  /** @type {Map<string, number>} */
  const left = new Map();
  for (const file of arrived) left.set(nameOf(file), (left.get(nameOf(file)) ?? 0) + 1);
  const missing = unsent.filter((file) => {
    const same = left.get(nameOf(file)) ?? 0;
    left.set(nameOf(file), same - 1);
    return same <= 0;
  });
  return { arrived, missing };
}

/** @param {Arrived} file */
function nameOf({ path, sizeBytes }) {
  return `${sizeBytes} ${path}`;
}

/**
 * Names files in a list, up to a number of them.
 *
 * @param {HTMLElement} list
 * @param {readonly Unsent[]} files
 */
export function nameFiles(list, files) {
  const more = files.length - MOST_NAMES;
  const names = [
    ...files.slice(0, MOST_NAMES).map(({ path }) => path),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
  list.replaceChildren(
    ...names.map((name) => {
      const item = document.createElement("li");
      item.textContent = name;
      return item;
    }),
  );
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
  let missing = [...unsentOf(id)];
  const isKnown = missing.length > 0;
  /** @type {Set<string>} */
  const arrived = new Set();
  let kept = "";
  /**
   * What is missing of a file: it may be chosen by itself now, or with its folder.
   *
   * @param {string} path
   */
  const missingOf = (path) =>
    missing.find(
      (one) => one.path === path || one.path.endsWith(`/${path}`) || path.endsWith(`/${one.path}`),
    );
  return {
    id,
    missing: () => missing,
    /** Asks the service which files of the upload that is continued have arrived. */
    async update() {
      if (!isContinued) return;
      const now = await compareWithArrived(id, missing);
      missing = [...now.missing];
      for (const file of now.arrived) arrived.add(nameOf(file));
      keepUnsent(id, missing);
    },
    /**
     * Whether a file of the upload that is continued has arrived already.
     *
     * @param {Arrived} file
     */
    hasSent: (file) =>
      isContinued && missingOf(file.path) === undefined && (isKnown || arrived.has(nameOf(file))),
    /**
     * The key under which a file is sent: that of its first sending, where it was not known to arrive.
     *
     * @param {Arrived} file
     */
    take({ path, sizeBytes }) {
      const found = missingOf(path);
      missing = missing.filter((one) => one !== found);
      return found?.sizeBytes === sizeBytes ? found.idempotencyKey : newId();
    },
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
      const all = [...missing, ...files];
      const key = all.map(({ idempotencyKey }) => idempotencyKey).join("\n");
      if (key === kept) return;
      kept = key;
      keepUnsent(id, all);
    },
  };
}
