import { showLocalTime } from "./page-behaviors.ts";
import { need, enhanceEach } from "./elements.ts";
import { openWorkbench } from "./editor-workbench.ts";
import { watchFilm } from "./review-film.ts";
import type { EditorState } from "./editor-state.ts";

/** One file of the queue on the page. */
export interface Item {
  id: string;
  name: string;
  form: HTMLFormElement;
  /** The person's changes; undefined if there is nothing to change. */
  state: EditorState | undefined;
  /** What a person has seen of a video; undefined for photos. */
  film: ReturnType<typeof watchFilm> | undefined;
  /** Whether its picture has loaded. A picture that nobody can see cannot be approved. */
  isSeen: boolean;
  next: Promise<Item | undefined> | undefined;
  previous: Promise<Item | undefined> | undefined;
}

/** A request without an answer must not end the review. */
const TIMEOUT_MS = 20_000;

/** The files of the queue on this page: the shown one, and its neighbors, which are loaded ahead. */
export class ReviewItems {
  readonly #items = new Map<string, Item>();
  readonly #container: HTMLElement;
  readonly #path: string;

  /** @param path of the queue */
  constructor(container: HTMLElement, path: string) {
    this.#container = container;
    this.#path = path;
  }

  /** @param form the form of the loaded page */
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

  /** The current state of a file, from the server. */
  async fresh(id: string) {
    this.#remove(id);
    return await this.#fetch(`${this.#path}/${id}`);
  }

  /** Shows a file, and removes all others except the one before it and those with unsaved changes. */
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

  /** @returns undefined at the end of the queue */
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
      // A video that this browser cannot play can still be decided on. The page says that it was not played.
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

/** The field for a note about a file. */
export function noteFieldOf({ form }: Pick<Item, "form">) {
  return need(form, "[data-review-note-text]", HTMLTextAreaElement);
}

function isUnsaved(item: Item) {
  if (noteFieldOf(item).value.trim() !== "") return true;
  return item.form.dataset["state"] === "waiting" && item.state?.isChanged === true;
}

/** The button's label depends on whether there are changes to approve. */
function sayWhatIsApproved(form: HTMLFormElement, state: EditorState) {
  const button = form.querySelector("[data-review-approve]");
  const asItIs = button?.textContent ?? "";
  state.addEventListener("change", () => {
    if (button !== null) button.textContent = state.isChanged ? "Approve with my changes" : asItIs;
  });
}
