import { findButton, groupOf } from "./editor-list-group.ts";
import { byCategory } from "./editor-state.ts";
import type { ListParts } from "./editor-list-group.ts";
import type { EditorSight } from "./editor-sight.ts";

/**
 * Lists detections and added regions by category, for screen readers and the keyboard. What the pointer is on in the list is drawn in the
 * picture.
 */
export function listThings(parts: ListParts) {
  const { list, state, sight, onShow, nameOf } = parts;
  if (sight.faintCount > 0) list.append(allSwitch(sight));
  const groups = [...byCategory(state.detections)].map(([category, detections]) =>
    groupOf(parts, { category, detections }),
  );
  const added = document.createElement("ul");
  added.className = "added";
  added.setAttribute("aria-label", "Added by you");
  list.append(...groups.map(({ element }) => element), added);
  for (const kind of ["pointerover", "focusin"]) {
    list.addEventListener(kind, ({ target }) => {
      sight.peek(target instanceof Element ? keysAt(target) : []);
    });
  }
  for (const kind of ["pointerleave", "focusout"]) {
    list.addEventListener(kind, () => {
      sight.peek([]);
    });
  }
  state.addEventListener("change", show);
  show();

  function keysAt(target: Element) {
    const item = target.closest("li[data-key]");
    if (item instanceof HTMLElement) return [item.dataset["key"] ?? ""];
    const pointed = groups.flatMap((group) => group.pointed);
    return pointed.find(({ element }) => element?.contains(target) === true)?.keys ?? [];
  }

  function show() {
    const { hidden, regions } = state.draft;
    for (const group of groups) group.show(hidden);
    added.hidden = regions.length === 0;
    const keys = regions.map(({ key }) => key);
    const known = [...added.children].map((item) => (item as HTMLElement).dataset["key"]);
    if (keys.join() !== known.join()) added.replaceChildren(...keys.map(addedItem));
  }

  function addedItem(key: string) {
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
    item.append(document.createTextNode(nameOf(key)), findButton(key, { nameOf, onShow }), remove);
    return item;
  }
}

function allSwitch(sight: EditorSight) {
  const label = document.createElement("label");
  label.className = "all-candidates";
  label.title = "Too faint even at high sensitivity";
  const box = document.createElement("input");
  box.type = "checkbox";
  box.addEventListener("change", () => {
    sight.showAll(box.checked);
  });
  const text =
    sight.faintCount === 1 ? "Show 1 unlikely candidate" : `Show ${sight.faintCount} unlikely candidates`;
  label.append(box, document.createTextNode(text));
  return label;
}
