import { counted } from "./upload-words.js";

/** The tab's storage for files that were refused when they were chosen. Closing the tab deletes the names. */
const KEPT = "veil-refused-";
/** The place of files that are chosen and not yet part of an upload. */
const CHOSEN = "";
const MOST_KEPT = 500;

/** A file that was not taken, and why. @typedef {{ readonly path: string, readonly why: string }} Refused */

/**
 * The refused files of an upload, or of the last choice. The list is empty if the browser has no session storage.
 *
 * @param {string} batchId
 * @returns {readonly Refused[]}
 */
function refusedOf(batchId) {
  try {
    /** @type {unknown} */
    const kept = JSON.parse(sessionStorage.getItem(KEPT + batchId) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isRefused) : [];
  } catch {
    return [];
  }
}

/**
 * @param {unknown} kept
 * @returns {kept is Refused}
 */
function isRefused(kept) {
  if (typeof kept !== "object" || kept === null) return false;
  const { path, why } = /** @type {Record<string, unknown>} */ (kept);
  return typeof path === "string" && typeof why === "string";
}

/**
 * @param {string} batchId
 * @param {readonly Refused[]} files A file that is refused again counts once.
 */
function keepRefused(batchId, files) {
  const all = [...new Map(files.map((file) => [file.path, file])).values()];
  try {
    if (all.length === 0) sessionStorage.removeItem(KEPT + batchId);
    else sessionStorage.setItem(KEPT + batchId, JSON.stringify(all.slice(0, MOST_KEPT)));
  } catch {
    // Some browsers have no session storage or no room in it. After a reload, the page then does not name these files.
  }
}

/**
 * Names the files of an upload that were refused, until a person dismisses them.
 *
 * @param {HTMLElement} place
 * @param {string} [batchId] Of an upload; its page shows them in a panel.
 */
export function listRefused(place, batchId = CHOSEN) {
  let files = refusedOf(batchId);
  const section = document.createElement("section");
  section.className = batchId === CHOSEN ? "stack" : "panel";
  section.ariaLabel = "Refused files";
  const text = document.createElement("p");
  text.className = "banner";
  const names = document.createElement("ul");
  const dismiss = document.createElement("button");
  dismiss.type = "button";
  dismiss.className = "plain";
  dismiss.textContent = "Dismiss";
  const actions = document.createElement("div");
  actions.append(dismiss);
  section.append(text, names, actions);
  const show = () => {
    place.hidden = files.length === 0;
    place.replaceChildren(...(files.length === 0 ? [] : [section]));
    text.textContent = `${counted(files.length, "file")} ${files.length === 1 ? "was" : "were"} refused:`;
    names.replaceChildren(
      ...files.map(({ path, why }) => {
        const item = document.createElement("li");
        item.textContent = `${path}: ${why}`;
        return item;
      }),
    );
  };
  dismiss.addEventListener("click", () => {
    files = [];
    keepRefused(batchId, files);
    show();
    document.getElementById("content")?.focus();
  });
  show();
  return {
    files: () => files,
    /** What is listed elsewhere from now on. */
    hide() {
      files = [];
      show();
    },
  };
}

/**
 * Saves the files that the upload page refused, so that it can name them after a reload.
 *
 * @param {HTMLElement} place Names what was refused before the page was loaded anew.
 */
export function followRefused(place) {
  const before = listRefused(place);
  let batchId = CHOSEN;
  /** @type {readonly Refused[]} */
  let sent = [];
  /** @type {readonly Refused[]} */
  let now = [];
  const keep = () => {
    keepRefused(batchId, [...sent, ...before.files(), ...now]);
  };
  return {
    /**
     * These are refused of what is chosen now.
     *
     * @param {readonly Refused[]} files
     */
    choose(files) {
      now = files;
      keep();
    },
    /**
     * The chosen files become part of an upload, whose page names what was refused of them.
     *
     * @param {string} id
     */
    begin(id) {
      if (batchId === CHOSEN) {
        keepRefused(CHOSEN, []);
        sent = refusedOf(id);
      }
      batchId = id;
      sent = [...sent, ...before.files(), ...now];
      now = [];
      before.hide();
      keep();
    },
  };
}
