import { byCategory } from "./editor-state.js";

/** @import { Detection, EditorState } from "./editor-state.js" */

/**
 * Lists what was found and what was added, by category: what a screen reader reads, and what a keyboard reaches without the picture.
 *
 * @param {object} parts
 * @param {HTMLElement} parts.list
 * @param {EditorState} parts.state
 * @param {(key: string) => void} parts.onShow called when a person wants to see a thing
 * @param {(id: string) => string} parts.nameOf what a shape is, in words
 * @param {(category: string | null) => string} parts.categoryName
 */
export function listThings({ list, state, onShow, nameOf, categoryName }) {
  const groups = byCategory(state.detections);
  for (const [category, detections] of groups) list.append(groupOf(category, detections));
  const added = document.createElement("ul");
  added.className = "added";
  added.setAttribute("aria-label", "Added by you");
  list.append(added);
  state.addEventListener("change", show);
  show();

  /**
   * @param {string | null} category
   * @param {readonly Detection[]} detections
   */
  function groupOf(category, detections) {
    const group = document.createElement("div");
    group.className = "kind";
    group.dataset["category"] = category ?? "none";
    const label = document.createElement("label");
    const all = checkbox();
    all.dataset["all"] = "";
    all.addEventListener("change", () => {
      state.setHidden(
        detections.map(({ id }) => id),
        all.checked,
      );
    });
    const count = document.createElement("span");
    count.className = "count";
    label.append(all, document.createTextNode(categoryName(category)), count);
    const each = document.createElement("details");
    const summary = document.createElement("summary");
    summary.textContent = "Each";
    summary.setAttribute("aria-label", `Each of ${categoryName(category)}`);
    const items = document.createElement("ul");
    each.append(summary, items);
    // There may be thousands, which nobody may ever look at.
    each.addEventListener(
      "toggle",
      () => {
        items.append(...detections.map(itemOf));
        show();
      },
      { once: true },
    );
    group.append(label, each);
    return group;
  }

  /** @param {Detection} detection */
  function itemOf({ id }) {
    const item = document.createElement("li");
    const label = document.createElement("label");
    const box = checkbox();
    box.dataset["id"] = id;
    box.addEventListener("change", () => {
      state.setHidden([id], box.checked);
    });
    label.append(box, document.createTextNode(nameOf(id)));
    item.append(label, findButton(id));
    return item;
  }

  /** @param {string} key */
  function findButton(key) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "Show";
    button.setAttribute("aria-label", `Show ${nameOf(key)} in the picture`);
    button.addEventListener("click", () => {
      onShow(key);
    });
    return button;
  }

  function show() {
    const { hidden, regions } = state.draft;
    for (const box of list.querySelectorAll("input[data-id]")) {
      if (box instanceof HTMLInputElement) box.checked = hidden.has(box.dataset["id"] ?? "");
    }
    for (const [category, detections] of groups) {
      const group = list.querySelector(`.kind[data-category="${category ?? "none"}"]`);
      const hiddenOnes = detections.filter(({ id }) => hidden.has(id)).length;
      const all = group?.querySelector("input[data-all]");
      if (all instanceof HTMLInputElement) {
        all.checked = hiddenOnes === detections.length;
        all.indeterminate = hiddenOnes > 0 && hiddenOnes < detections.length;
      }
      const count = group?.querySelector(".count");
      if (count) count.textContent = `${hiddenOnes} of ${detections.length}`;
    }
    added.hidden = regions.length === 0;
    const keys = regions.map(({ key }) => key);
    if (
      keys.join() ===
      [...added.children].map((item) => /** @type {HTMLElement} */ (item).dataset["key"]).join()
    )
      return;
    added.replaceChildren(...keys.map(addedItem));
  }

  /** @param {string} key */
  function addedItem(key) {
    const item = document.createElement("li");
    item.dataset["key"] = key;
    const remove = document.createElement("button");
    remove.type = "button";
    remove.className = "quiet";
    remove.textContent = "Remove";
    remove.setAttribute("aria-label", `Remove ${nameOf(key)}`);
    remove.addEventListener("click", () => {
      state.removeRegion(key);
    });
    item.append(document.createTextNode(nameOf(key)), findButton(key), remove);
    return item;
  }
}

function checkbox() {
  const box = document.createElement("input");
  box.type = "checkbox";
  return box;
}
