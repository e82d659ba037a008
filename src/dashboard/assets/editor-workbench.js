import { one, readData } from "./editor-elements.js";
import { takeFindings } from "./editor-findings.js";
import { drawing, moving, panning, resizing } from "./editor-gestures.js";
import { boxInSight, takeKeys, takeUndoKeys } from "./editor-keys.js";
import { listThings } from "./editor-list.js";
import { nameThings } from "./editor-names.js";
import { takePointer } from "./editor-pointer.js";
import { photoScene } from "./editor-scene.js";
import { takeReasons } from "./editor-reasons.js";
import { takeSensitivity } from "./editor-sensitivity.js";
import { EditorShapes } from "./editor-shapes.js";
import { EditorSight } from "./editor-sight.js";
import { EditorState } from "./editor-state.js";
import { takeToolbar } from "./editor-toolbar.js";
import { EditorView } from "./editor-view.js";

/** @import { Detection } from "./editor-state.js" */
/** @import { Shape } from "./editor-shapes.js" */
/** @import { Thresholds } from "./editor-sensitivity.js" */

/**
 * @typedef {{ readonly width: number, readonly height: number, readonly detections: readonly (Detection & { readonly mask?: Shape })[],
 *   readonly categoryNames: Readonly<Record<string, string>>, readonly thresholds: Thresholds | null,
 *   readonly reasons: import("./editor-state.js").Reasons }} EditorData What the page says.
 */

/** Regions by the key that adds one. */
const KINDS = /** @type {Readonly<Record<string, "box" | "ellipse">>} */ ({ b: "box", e: "ellipse" });

/**
 * A photo with what was found in it as shapes, to be switched and drawn.
 *
 * @param {HTMLElement} editor
 * @returns {{ readonly svg: SVGSVGElement, readonly state: EditorState }}
 */
export function openWorkbench(editor) {
  const data = /** @type {EditorData} */ (readData(editor));
  const svg = one(editor, "svg.stage", SVGSVGElement);
  const state = new EditorState(data.detections, data.reasons);
  const sight = new EditorSight(data.detections, data.thresholds);
  const view = new EditorView(svg, data);
  const names = nameThings(state, data.categoryNames);
  const masks = new Map(data.detections.flatMap(({ id, mask }) => (mask === undefined ? [] : [[id, mask]])));
  const layer = one(editor, "svg.stage .things", SVGGElement);
  const shapes = new EditorShapes({ layer, size: data, scene: photoScene(state, sight, masks), ...names });
  const workbench = { svg, state, shapes, view };

  listThings({
    list: one(editor, ".things-list", HTMLElement),
    state,
    sight,
    onShow: (key) => {
      sight.keep([key]);
      shapes.select(key);
    },
    ...names,
  });
  takeReasons({ editor, svg, state, shapes, ...names });
  takeSensitivity({ editor, state, thresholds: data.thresholds });
  const { toolOf, chooseTool } = takeToolbar({ editor, svg, state, view });
  takePointer({
    svg,
    view,
    gestureAt: ({ target, key, at, event }) => {
      if (event.button === 1) return panning(workbench, event);
      if (target.dataset["across"] !== undefined) return resizing(workbench, target);
      if (toolOf() !== "select") return drawing(workbench, at, { kind: kindOf(toolOf()), onDrawn });
      if (key !== undefined && state.boxOf(key) !== undefined) return moving(workbench, at, key);
      return panning(workbench, event, key);
    },
  });
  takeUndoKeys(editor, state);
  takeKeys({
    ...workbench,
    handleFirst: ({ key }) => {
      const kind = KINDS[key];
      if (kind !== undefined) shapes.select(state.addRegion(kind, boxInSight(svg, view)));
      return kind !== undefined;
    },
  });
  svg.addEventListener("zoomed", () => {
    shapes.showHandles();
  });
  svg.addEventListener("selected", () => {
    sight.keep([shapes.selected]);
  });
  for (const changing of [state, sight]) {
    changing.addEventListener("change", () => {
      shapes.show();
    });
  }
  view.fit();
  takeFindings(editor, view);
  return { svg, state };

  function onDrawn() {
    chooseTool("select");
  }
}

/** @param {string} tool */
function kindOf(tool) {
  return tool === "ellipse" ? "ellipse" : "box";
}
