import { counted } from "./upload-words.ts";

/** The tab's storage for files that were refused when they were chosen. Closing the tab deletes the names. */
const KEPT = "veil-refused-";
/** The place of files that are chosen and not yet part of an upload. */
const CHOSEN = "";
const MOST_KEPT = 500;

/** A file that was not taken, and why. */
export interface Refused {
  readonly path: string;
  readonly why: string;
}

/** The refused files of an upload, or of the last choice. The list is empty if the browser has no session storage. */
function refusedOf(batchId: string): readonly Refused[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEPT + batchId) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isRefused) : [];
  } catch {
    return [];
  }
}

function isRefused(kept: unknown): kept is Refused {
  if (typeof kept !== "object" || kept === null) return false;
  const { path, why } = kept as Record<string, unknown>;
  return typeof path === "string" && typeof why === "string";
}

/** @param files A file that is refused again counts once. */
function keepRefused(batchId: string, files: readonly Refused[]) {
  const all = [...new Map(files.map((file) => [file.path, file])).values()];
  try {
    if (all.length === 0) sessionStorage.removeItem(KEPT + batchId);
    else sessionStorage.setItem(KEPT + batchId, JSON.stringify(all.slice(0, MOST_KEPT)));
  } catch {
    // Some browsers have no session storage or no room in it. After a reload, the page then does not name these files.
  }
}

/**
 * Lists the refused files of an upload until a person dismisses them.
 *
 * @param batchId Of an upload; its page shows them in a panel.
 */
export function listRefused(place: HTMLElement, batchId: string = CHOSEN) {
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
 * @param place Names what was refused before the page was loaded anew.
 */
export function followRefused(place: HTMLElement) {
  const before = listRefused(place);
  let batchId = CHOSEN;
  let sent: readonly Refused[] = [];
  let now: readonly Refused[] = [];
  const keep = () => {
    keepRefused(batchId, [...sent, ...before.files(), ...now]);
  };
  return {
    /** These are refused of what is chosen now. */
    choose(files: readonly Refused[]) {
      now = files;
      keep();
    },
    /** The chosen files become part of an upload, whose page names what was refused of them. */
    begin(id: string) {
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
