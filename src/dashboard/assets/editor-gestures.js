// What a press that moves does: each gesture gets every move and its end.
import { boxBetween, moveWithin, resizeBox } from "./editor-geometry.js";

/** @import { Box, Point } from "./editor-geometry.js" */
/** @import { EditorShapes } from "./editor-shapes.js" */
/** @import { EditorState } from "./editor-state.js" */
/** @import { EditorView } from "./editor-view.js" */

/**
 * @typedef {object} Gesture
 * @property {(to: Point, event: PointerEvent) => void} move called with the place under the pointer once it has moved farther than a click may
 * @property {(isClick: boolean) => void} end
 */
/** @typedef {{ readonly svg: SVGSVGElement, readonly state: EditorState, readonly shapes: EditorShapes, readonly view: EditorView }} Workbench */

/** The smallest side of a region, in CSS pixels: what is smaller was drawn by mistake. */
const LEAST_PX = 6;

/**
 * Moves what is seen; a click chooses what lies under it and hides or shows it.
 *
 * @param {Workbench} workbench
 * @param {PointerEvent} start
 * @param {string} [key] of what lies under the pointer
 * @returns {Gesture}
 */
export function panning({ view, shapes, state }, start, key) {
  let last = { x: start.clientX, y: start.clientY };
  return {
    move: (_to, { clientX, clientY }) => {
      view.pan(last.x - clientX, last.y - clientY);
      last = { x: clientX, y: clientY };
    },
    end: (isClick) => {
      if (!isClick || start.button !== 0) return;
      shapes.select(key);
      if (key !== undefined) state.toggle(key);
    },
  };
}

/**
 * Draws a region.
 *
 * @param {Workbench} workbench
 * @param {Point} from
 * @param {{ readonly kind: "box" | "ellipse", readonly onDrawn: (key: string) => void }} options
 * @returns {Gesture}
 */
export function drawing({ svg, state, shapes, view }, from, { kind, onDrawn }) {
  /** @type {string | undefined} */
  let key;
  return {
    move: (to) => {
      if (key === undefined) {
        state.beginGesture();
        key = state.addRegion(kind, boxBetween(from, to));
      } else state.placeRegion(key, boxBetween(from, to));
    },
    end: () => {
      if (key === undefined) return;
      const { width, height } = boxOf(state, key);
      const sidePx = Math.max(width * svg.clientWidth, height * svg.clientHeight) * view.zoom;
      if (sidePx < LEAST_PX) state.removeRegion(key);
      state.endGesture();
      if (sidePx < LEAST_PX) return;
      shapes.select(key);
      onDrawn(key);
    },
  };
}

/**
 * Moves a region.
 *
 * @param {Workbench} workbench
 * @param {Point} from
 * @param {string} key
 * @returns {Gesture}
 */
export function moving({ state, shapes }, from, key) {
  const box = boxOf(state, key);
  state.beginGesture();
  return {
    move: (to) => {
      state.placeRegion(key, moveWithin(box, to.x - from.x, to.y - from.y));
    },
    end: () => {
      state.endGesture();
      shapes.select(key);
    },
  };
}

/**
 * Moves a side or a corner of the region that is selected.
 *
 * @param {Workbench} workbench
 * @param {SVGElement} handle
 * @returns {Gesture}
 */
export function resizing({ state, shapes }, handle) {
  const key = shapes.selected ?? "";
  const box = boxOf(state, key);
  const sides = { across: Number(handle.dataset["across"]), down: Number(handle.dataset["down"]) };
  state.beginGesture();
  return {
    move: (to) => {
      state.placeRegion(key, resizeBox(box, sides, to));
    },
    end: () => {
      state.endGesture();
      shapes.showHandles();
    },
  };
}

/**
 * @param {EditorState} state
 * @param {string} key
 * @returns {Box}
 */
function boxOf(state, key) {
  return state.boxOf(key) ?? { x: 0, y: 0, width: 0, height: 0 };
}
