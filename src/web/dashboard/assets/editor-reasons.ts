import { need } from "./elements.ts";
import { isFor } from "./editor-keys.ts";
import type { EditorShapes } from "./editor-shapes.ts";
import type { EditorState } from "./editor-state.ts";

/** The key that sets or removes the reason of the selected mask. */
const KEY = "r";

/**
 * Sets the reason of the selected mask by a menu or a key, and whether masks show reasons. A page without the menu has no reasons.
 */
export function takeReasons({
  editor,
  svg,
  state,
  shapes,
  nameOf,
}: {
  readonly editor: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly state: EditorState;
  readonly shapes: EditorShapes;
  readonly nameOf: (key: string) => string;
}) {
  const menu = editor.querySelector("select[data-reason]");
  const printed = editor.querySelector("input[data-burn-in]");
  if (!(menu instanceof HTMLSelectElement) || !(printed instanceof HTMLInputElement)) return;
  const said = need(editor, "[data-reason-said]", HTMLElement);
  const list = need(editor, ".things-list", HTMLElement);
  let last = menu.options[1]?.value ?? "";
  menu.addEventListener("change", () => {
    if (menu.value !== "") last = menu.value;
    const key = selectedMask();
    if (key !== undefined) state.giveReason(key, menu.value === "" ? null : menu.value);
    show();
  });
  printed.addEventListener("change", () => {
    state.printReasons(printed.checked);
  });
  document.addEventListener("keydown", (event) => {
    const { target, key: pressed, ctrlKey, metaKey, altKey } = event;
    if (!isFor(editor, event) || pressed !== KEY || ctrlKey || metaKey || altKey) return;
    if (target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type === "text"))
      return;
    const key = selectedMask();
    if (key !== undefined) state.giveReason(key, state.reasonOf(key) === last ? null : last);
    else show();
    event.preventDefault();
  });
  svg.addEventListener("selected", show);
  state.addEventListener("change", show);
  // The items of a list are created when it is opened.
  list.addEventListener("toggle", showCodes, true);
  show();

  /** The selected shape, if it is a mask. */
  function selectedMask() {
    const key = shapes.selected;
    return key !== undefined && state.isMask(key) ? key : undefined;
  }

  function show() {
    if (!(menu instanceof HTMLSelectElement) || !(printed instanceof HTMLInputElement)) return;
    const key = selectedMask();
    const code = key === undefined ? undefined : (state.reasonOf(key) ?? "");
    if (code !== undefined) choose(menu, code);
    printed.checked = state.arePrinted;
    if (key !== undefined) said.textContent = `Why ${nameOf(key)} is hidden. R gives it ${last}.`;
    else if (shapes.selected === undefined) said.textContent = `Select a mask. R gives it ${last}.`;
    else said.textContent = "This stays visible. Hide it to say why.";
    showCodes();
  }

  function showCodes() {
    for (const item of list.querySelectorAll("li[data-key]")) {
      if (!(item instanceof HTMLElement)) continue;
      const key = item.dataset["key"] ?? "";
      const code = state.isMask(key) ? state.reasonOf(key) : null;
      const known = item.querySelector(".reason-code");
      if (code === null || code === undefined) {
        known?.remove();
        continue;
      }
      const shown = known ?? document.createElement("span");
      shown.className = "reason-code";
      if (shown.textContent !== code) shown.textContent = code;
      if (known === null) item.insertBefore(shown, item.children[1] ?? null);
    }
  }
}

/** Selects a code in the menu. A code that is no longer in the list is offered while it is selected. */
function choose(menu: HTMLSelectElement, code: string) {
  menu.querySelector("[data-former]")?.remove();
  if (![...menu.options].some(({ value }) => value === code)) {
    const former = new Option(`${code} (no longer in the list)`, code);
    former.dataset["former"] = "";
    menu.append(former);
  }
  menu.value = code;
}
