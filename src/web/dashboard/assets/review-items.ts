import { showLocalTime } from "./conveniences.ts";
import { one } from "./editor-elements.ts";
import { openWorkbench } from "./editor-workbench.ts";
import { enhanceEach } from "./enhance.ts";
import { watchFilm } from "./review-film.ts";
import type { EditorState } from "./editor-state.ts";

/** One file of the queue, as it is on the page. */
export interface Item {
  id: string;
  name: string;
  form: HTMLFormElement;
  /** What a person has changed of it; undefined where there is nothing to change. */
  state: EditorState | undefined;
  /** What of a film a person has seen; undefined for photos. */
  film: ReturnType<typeof watchFilm> | undefined;
  /** Whether its picture has arrived: what nobody can see cannot be approved. */
  isSeen: boolean;
  next: Promise<Item | undefined> | undefined;
  previous: Promise<Item | undefined> | undefined;
}

/** An answer that never comes must not end the review. */
const TIMEOUT_MS = 20_000;

/** The files of the queue that this page holds: the one that is shown, and those beside it, loaded ahead. */
export class ReviewItems {
  readonly #items = new Map<string, Item>();
  readonly #container: HTMLElement;
  readonly #path: string;

  /** @param path of the queue */
  constructor(container: HTMLElement, path: string) {
    this.#container = container;
    this.#path = path;
  }

  /** @param form as the page came with it */
  adoptFirst(form: HTMLFormElement) {
    const item = this.#adopt(form);
    item.isSeen = document.readyState === "complete";
    window.addEventListener("load", () => {
      item.isSeen = true;
    });
    return item;
  }

  nextOf(item: Item) {
    item.next ??= this.#beside("after", item, () => {
      item.next = undefined;
    });
    return item.next;
  }

  previousOf(item: Item) {
    item.previous ??= this.#beside("before", item, () => {
      item.previous = undefined;
    });
    return item.previous;
  }

  /** A file as it is now, not as this page holds it. */
  async fresh(id: string) {
    this.#remove(id);
    return await this.#fetch(`${this.#path}/${id}`);
  }

  /** Shows one, and holds no others but the one that was shown before and those that have unsaved changes. */
  show(shown: Item, before: Item | undefined) {
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

  async #beside(side: "after" | "before", item: Item, forget: () => void) {
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

  /** @returns undefined where the queue ends */
  async #fetch(address: string): Promise<Item | undefined> {
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

  #adopt(form: HTMLFormElement) {
    const item: Item = {
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

  #keep(item: Item) {
    this.#items.set(item.id, item);
    if (!item.form.isConnected) this.#container.append(item.form);
    enhanceEach("time", HTMLTimeElement, showLocalTime);
  }

  #remove(id: string) {
    this.#items.get(id)?.form.remove();
    this.#items.delete(id);
  }
}

/** Where a person writes a note about a file. */
export function noteFieldOf({ form }: Pick<Item, "form">) {
  return one(form, "[data-review-note-text]", HTMLTextAreaElement);
}

function isUnsaved(item: Item) {
  if (noteFieldOf(item).value.trim() !== "") return true;
  return item.form.dataset["state"] === "waiting" && item.state?.isChanged === true;
}

/** The button says what it does: with changes, they are what is approved. */
function sayWhatIsApproved(form: HTMLFormElement, state: EditorState) {
  const button = form.querySelector("[data-review-approve]");
  const asItIs = button?.textContent ?? "";
  state.addEventListener("change", () => {
    if (button !== null) button.textContent = state.isChanged ? "Approve with my changes" : asItIs;
  });
}
