import { showLocalTime } from "./conveniences.js";
import { one } from "./editor-elements.js";
import { openWorkbench } from "./editor-workbench.js";
import { enhanceEach } from "./enhance.js";
import { watchFilm } from "./review-film.js";

/** @import { EditorState } from "./editor-state.js" */
/**
 * @typedef {object} Item One file of the queue, as it is on the page.
 * @property {string} id
 * @property {string} name
 * @property {HTMLFormElement} form
 * @property {EditorState | undefined} state What a person has changed of it; undefined where there is nothing to change.
 * @property {ReturnType<typeof watchFilm> | undefined} film What of a film a person has seen; undefined for photos.
 * @property {boolean} isSeen Whether its picture has arrived: what nobody can see cannot be approved.
 * @property {Promise<Item | undefined> | undefined} next
 * @property {Promise<Item | undefined> | undefined} previous
 */

/** An answer that never comes must not end the review. */
const TIMEOUT_MS = 20_000;

/** The files of the queue that this page holds: the one that is shown, and those beside it, loaded ahead. */
export class ReviewItems {
  /** @type {Map<string, Item>} */
  #items = new Map();
  #container;
  #path;

  /**
   * @param {HTMLElement} container
   * @param {string} path of the queue
   */
  constructor(container, path) {
    this.#container = container;
    this.#path = path;
  }

  /** @param {HTMLFormElement} form as the page came with it */
  adoptFirst(form) {
    const item = this.#adopt(form);
    item.isSeen = document.readyState === "complete";
    window.addEventListener("load", () => {
      item.isSeen = true;
    });
    return item;
  }

  /** @param {Item} item */
  nextOf(item) {
    item.next ??= this.#beside("after", item, () => {
      item.next = undefined;
    });
    return item.next;
  }

  /** @param {Item} item */
  previousOf(item) {
    item.previous ??= this.#beside("before", item, () => {
      item.previous = undefined;
    });
    return item.previous;
  }

  /**
   * A file as it is now, not as this page holds it.
   *
   * @param {string} id
   */
  async fresh(id) {
    this.#remove(id);
    return await this.#fetch(`${this.#path}/${id}`);
  }

  /**
   * Shows one, and holds no others but the one that was shown before and those that have unsaved changes.
   *
   * @param {Item} shown
   * @param {Item | undefined} before
   */
  show(shown, before) {
    for (const item of this.#items.values()) {
      item.form.hidden = item !== shown;
      if (item !== shown) item.film?.pause();
      item.form.inert = item !== shown;
      if (item !== shown && item !== before && !isUnsaved(item)) this.#remove(item.id);
    }
    if (!shown.form.isConnected) this.#keep(shown);
    shown.form.hidden = false;
    shown.form.inert = false;
  }

  get hasUnsaved() {
    return [...this.#items.values()].some(isUnsaved);
  }

  /**
   * @param {"after" | "before"} side
   * @param {Item} item
   * @param {() => void} forget
   */
  async #beside(side, item, forget) {
    try {
      const found = await this.#fetch(`${this.#path}/next?${side}=${item.id}`);
      // More may be flagged later.
      if (found === undefined) forget();
      return found;
    } catch (error) {
      forget();
      throw error;
    }
  }

  /**
   * @param {string} address
   * @returns {Promise<Item | undefined>} undefined where the queue ends
   */
  async #fetch(address) {
    const answer = await fetch(address, {
      headers: { Accept: "text/html" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error("The file could not be loaded.");
    if (!new URL(answer.url).pathname.startsWith(this.#path)) throw new Error("You are signed out.");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const form = page.querySelector("form[data-review-item]");
    if (!(form instanceof HTMLFormElement)) return undefined;
    const known = this.#items.get(form.dataset["reviewItem"] ?? "");
    if (known !== undefined) return known;
    const own = document.importNode(form, true);
    own.hidden = true;
    own.inert = true;
    return this.#adopt(own);
  }

  /** @param {HTMLFormElement} form */
  #adopt(form) {
    /** @type {Item} */
    const item = {
      id: form.dataset["reviewItem"] ?? "",
      name: form.dataset["name"] ?? "",
      form,
      state: undefined,
      film: undefined,
      isSeen: true,
      next: undefined,
      previous: undefined,
    };
    const picture = form.querySelector("svg.stage image, .review-picture");
    if (picture !== null) {
      item.isSeen = false;
      // A film that this browser cannot play is decided on all the same: the page says that it was not played.
      for (const event of [
        "load",
        "loadedmetadata",
        ...(picture instanceof HTMLVideoElement ? ["error"] : []),
      ])
        picture.addEventListener(event, () => {
          item.isSeen = true;
        });
    }
    const film = form.querySelector("[data-film]");
    if (film instanceof HTMLElement) item.film = watchFilm(film);
    this.#keep(item);
    const editor = form.querySelector("[data-review-editor]");
    if (editor instanceof HTMLElement) {
      item.state = openWorkbench(editor).state;
      sayWhatIsApproved(form, item.state);
    }
    return item;
  }

  /** @param {Item} item */
  #keep(item) {
    this.#items.set(item.id, item);
    if (!item.form.isConnected) this.#container.append(item.form);
    enhanceEach("time", HTMLTimeElement, showLocalTime);
  }

  /** @param {string} id */
  #remove(id) {
    this.#items.get(id)?.form.remove();
    this.#items.delete(id);
  }
}

/**
 * Where a person writes a note about a file.
 *
 * @param {Pick<Item, "form">} item
 */
export function noteFieldOf({ form }) {
  return one(form, "[data-review-note-text]", HTMLTextAreaElement);
}

/** @param {Item} item */
function isUnsaved(item) {
  if (noteFieldOf(item).value.trim() !== "") return true;
  return item.form.dataset["state"] === "waiting" && item.state?.isChanged === true;
}

/**
 * The button says what it does: with changes, they are what is approved.
 *
 * @param {HTMLFormElement} form
 * @param {EditorState} state
 */
function sayWhatIsApproved(form, state) {
  const button = form.querySelector("[data-review-approve]");
  const asItIs = button?.textContent ?? "";
  state.addEventListener("change", () => {
    if (button !== null) button.textContent = state.isChanged ? "Approve with my changes" : asItIs;
  });
}
