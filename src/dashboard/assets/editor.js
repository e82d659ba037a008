// The photo editor: what was found, as shapes over the original, to be switched, drawn and applied as a revision.
import { takeKeys } from "./editor-keys.js";
import { listThings } from "./editor-list.js";
import { takePointer } from "./editor-pointer.js";
import { applyRevision } from "./editor-request.js";
import { takeSensitivity } from "./editor-sensitivity.js";
import { EditorShapes } from "./editor-shapes.js";
import { EditorState, byCategory } from "./editor-state.js";
import { EditorView } from "./editor-view.js";

/** @import { Detection } from "./editor-state.js" */
/** @import { Mask } from "./editor-shapes.js" */
/** @import { Tool } from "./editor-pointer.js" */
/** @import { Thresholds } from "./editor-sensitivity.js" */

/**
 * @typedef {{ readonly width: number, readonly height: number, readonly detections: readonly (Detection & { readonly mask?: Mask })[],
 *   readonly categoryNames: Readonly<Record<string, string>>, readonly thresholds: Thresholds | null }} EditorData What the page says.
 */

/** @param {HTMLElement} editor */
export function openEditor(editor) {
  const data = /** @type {EditorData} */ (
    JSON.parse(one(editor, "[data-editor-data]", HTMLScriptElement).text)
  );
  const svg = one(editor, "svg.stage", SVGSVGElement);
  const state = new EditorState(data.detections);
  const view = new EditorView(svg, data);
  /** @param {string | null} category */
  const categoryName = (category) =>
    category === null ? "Your regions" : (data.categoryNames[category] ?? category);
  const numbers = numbersOf(data.detections);
  /** @param {string} key */
  const nameOf = (key) => {
    const region = state.draft.regions.find((added) => added.key === key);
    if (region !== undefined)
      return `${region.kind === "box" ? "Box" : "Ellipse"} ${key.replace("region-", "")}`;
    const found = data.detections.find(({ id }) => id === key);
    const confidence = found?.confidence ?? null;
    const sureness = confidence === null ? "" : `, ${Math.round(confidence * 100)}%`;
    return `${categoryName(found?.category ?? null)} ${numbers.get(key) ?? ""}${sureness}`;
  };
  const masks = new Map(data.detections.flatMap(({ id, mask }) => (mask === undefined ? [] : [[id, mask]])));
  const layer = one(editor, "svg.stage .things", SVGGElement);
  const shapes = new EditorShapes({ layer, state, size: data, masks, nameOf });

  listThings({ list: one(editor, ".things-list", HTMLElement), state, shapes, nameOf, categoryName });
  takeSensitivity({ editor, state, thresholds: data.thresholds });
  takePointer({ svg, state, shapes, view, toolOf, onDrawn: backToSelecting });
  takeKeys({ svg, editor, state, shapes, view });

  const undo = one(editor, "[data-undo]", HTMLButtonElement);
  const redo = one(editor, "[data-redo]", HTMLButtonElement);
  const apply = one(editor, "[data-apply]", HTMLButtonElement);
  const status = one(editor, "[data-editor-status]", HTMLElement);
  const preview = one(editor, "[data-preview]", HTMLInputElement);
  let isApplied = false;
  undo.addEventListener("click", () => {
    state.undo();
  });
  redo.addEventListener("click", () => {
    state.redo();
  });
  one(editor, "[data-zoom-in]", HTMLButtonElement).addEventListener("click", () => {
    view.zoomIn();
  });
  one(editor, "[data-zoom-out]", HTMLButtonElement).addEventListener("click", () => {
    view.zoomOut();
  });
  one(editor, "[data-zoom-fit]", HTMLButtonElement).addEventListener("click", () => {
    view.fit();
  });
  preview.addEventListener("change", () => {
    svg.classList.toggle("previewing", preview.checked);
  });
  svg.addEventListener("zoomed", () => {
    shapes.showHandles();
    one(editor, "[data-zoom]", HTMLElement).textContent = `${Math.round(view.zoom * 100)}%`;
  });
  for (const input of editor.querySelectorAll("input[name=tool]")) {
    input.addEventListener("change", () => {
      svg.dataset["tool"] = toolOf();
    });
  }
  apply.addEventListener("click", () => {
    void send();
  });
  window.addEventListener("beforeunload", (event) => {
    if (state.isChanged && !isApplied) event.preventDefault();
  });
  state.addEventListener("change", show);
  view.fit();
  show();

  function show() {
    shapes.show();
    undo.disabled = !state.canUndo;
    redo.disabled = !state.canRedo;
    apply.disabled = !state.isChanged;
    const { hidden, regions } = state.draft;
    const count = hidden.size + regions.length;
    status.textContent = `${count} ${count === 1 ? "thing is" : "things are"} hidden${state.isChanged ? ", not applied yet" : ""}.`;
  }

  async function send() {
    apply.disabled = true;
    status.textContent = "Applying…";
    const outcome = await applyRevision(editor, state.revision());
    if (outcome.mediaId !== undefined) {
      isApplied = true;
      window.location.assign(`${editor.dataset["mediaPath"]}/${outcome.mediaId}`);
      return;
    }
    status.textContent = outcome.fault;
    apply.disabled = false;
  }

  /** @returns {Tool} */
  function toolOf() {
    const chosen = editor.querySelector("input[name=tool]:checked");
    return /** @type {Tool} */ (chosen instanceof HTMLInputElement ? chosen.value : "select");
  }

  function backToSelecting() {
    const select = editor.querySelector("input[name=tool][value=select]");
    if (select instanceof HTMLInputElement) select.checked = true;
    svg.dataset["tool"] = "select";
  }
}

/**
 * Numbers things within their category, from the surest on, so that a name tells them apart.
 *
 * @param {readonly Detection[]} detections
 */
function numbersOf(detections) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  for (const group of byCategory(detections).values()) {
    for (const [index, { id }] of group.entries()) numbers.set(id, index + 1);
  }
  return numbers;
}

/**
 * @template {Element} T
 * @param {Element} within
 * @param {string} selector
 * @param {new () => T} type
 * @returns {T}
 */
function one(within, selector, type) {
  const element = within.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}.`);
  return element;
}
