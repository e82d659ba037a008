import { KEPT } from "./upload-kept.js";
import { need } from "./upload-elements.js";
import { counted } from "./upload-words.js";

const ASKING_MS = 10_000;
const MOST_NAMES = 20;

/** @typedef {import("./upload-kept.js").Unsent} Unsent */
/** @typedef {import("./upload-kept.js").Arrived} Arrived */

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
  const { path, sizeBytes, idempotencyKey, why } = /** @type {Record<string, unknown>} */ (kept);
  return (
    typeof path === "string" &&
    typeof sizeBytes === "number" &&
    typeof idempotencyKey === "string" &&
    ["string", "undefined"].includes(typeof why)
  );
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
  for (const file of arrived) left.set(keyOf(file), (left.get(keyOf(file)) ?? 0) + 1);
  const missing = unsent.filter((file) => {
    const same = left.get(keyOf(file)) ?? 0;
    left.set(keyOf(file), same - 1);
    return same <= 0;
  });
  return { arrived, missing };
}

/** @param {Arrived} file */
function keyOf({ path, sizeBytes }) {
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
    ...files.slice(0, MOST_NAMES).map(({ path, why }) => (why === undefined ? path : `${path}: ${why}`)),
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
 * An upload that goes on: which of its files are missing.
 *
 * @param {string} batchId
 */
export function continueBatch(batchId) {
  const known = unsentOf(batchId);
  let missing = known;
  /** @type {ReadonlySet<string>} */
  let arrived = new Set();
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
    missing: () => missing,
    /** @param {HTMLElement | null} [section] */
    async update(section) {
      const now = await compareWithArrived(batchId, missing);
      missing = now.missing;
      arrived = new Set(now.arrived.map(keyOf));
      if (section) nameMissing(section, missing);
    },
    /** @param {Arrived} file */
    hasSent: (file) => missingOf(file.path) === undefined && (known.length > 0 || arrived.has(keyOf(file))),
    /**
     * @param {Arrived} file
     * @returns {string | undefined}
     */
    take({ path, sizeBytes }) {
      const found = missingOf(path);
      missing = missing.filter((one) => one !== found);
      return found?.sizeBytes === sizeBytes ? found.idempotencyKey : undefined;
    },
  };
}

/**
 * Says which files of the upload that is continued are missing.
 *
 * @param {HTMLElement} section
 * @param {readonly Unsent[]} files
 */
function nameMissing(section, files) {
  if (files.length === 0) return;
  need(section, "[data-missing-text]", HTMLElement).textContent =
    `${counted(files.length, "file")} of this upload ${files.length === 1 ? "is" : "are"} missing. You can choose the whole folder: files that were already sent are skipped.`;
  nameFiles(need(section, "[data-missing-names]", HTMLElement), files);
  section.hidden = false;
}
