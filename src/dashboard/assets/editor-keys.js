import { movedWithin } from "./editor-pointer.js";

/** @import { Box, EditorState } from "./editor-state.js" */
/** @import { EditorShapes } from "./editor-shapes.js" */
/** @import { EditorView } from "./editor-view.js" */

/** How far an arrow key moves a region or the picture, in CSS pixels; ten times as far with Shift. */
const STEP_PX = 2;
/** The side of a region that the keyboard adds, as a share of what is seen. */
const NEW_SHARE = 0.2;

const ARROWS = /** @type {Readonly<Record<string, readonly [number, number]>>} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
});

/**
 * Lets the keyboard alone do all that the pointer can.
 *
 * @param {object} parts
 * @param {SVGSVGElement} parts.svg
 * @param {HTMLElement} parts.editor
 * @param {EditorState} parts.state
 * @param {EditorShapes} parts.shapes
 * @param {EditorView} parts.view
 */
export function takeKeys({ svg, editor, state, shapes, view }) {
  editor.addEventListener("keydown", (event) => {
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key.toLowerCase() === "z") {
      if (event.shiftKey) state.redo();
      else state.undo();
      event.preventDefault();
    } else if (isCommand && event.key.toLowerCase() === "y") {
      state.redo();
      event.preventDefault();
    }
  });

  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.target instanceof SVGGElement ? event.target.dataset["key"] : undefined;
    if (handled(event, key)) event.preventDefault();
  });
  svg.addEventListener("focusin", (event) => {
    const key = event.target instanceof SVGGElement ? event.target.dataset["key"] : undefined;
    if (key !== undefined && key !== shapes.selected) shapes.select(key);
  });

  /**
   * @param {KeyboardEvent} event
   * @param {string | undefined} key of the shape that has the focus
   */
  function handled({ key: pressed, shiftKey }, key) {
    const arrow = ARROWS[pressed];
    const region = state.draft.regions.find((one) => one.key === key);
    if (arrow !== undefined) {
      const step = STEP_PX * (shiftKey ? 10 : 1);
      if (region === undefined) view.pan(arrow[0] * step * 10, arrow[1] * step * 10);
      else if (key !== undefined) nudge(key, region.box, [arrow[0] * step, arrow[1] * step]);
      return true;
    }
    if (key !== undefined && region !== undefined && (pressed === "Delete" || pressed === "Backspace")) {
      state.removeRegion(key);
      svg.focus();
      return true;
    }
    if (key !== undefined && region !== undefined && (pressed === "[" || pressed === "]")) {
      grow(key, region.box, pressed === "]" ? 1.1 : 1 / 1.1);
      return true;
    }
    if (key !== undefined && region === undefined && (pressed === " " || pressed === "Enter")) {
      state.toggle(key);
      return true;
    }
    if (pressed === "b" || pressed === "e") {
      shapes.select(state.addRegion(pressed === "b" ? "box" : "ellipse", boxInSight()));
      return true;
    }
    if (pressed === "+" || pressed === "=") view.zoomIn();
    else if (pressed === "-") view.zoomOut();
    else if (pressed === "0") view.fit();
    else if (pressed === "Escape") shapes.select(undefined);
    else return false;
    return true;
  }

  /**
   * @param {string} key
   * @param {Box} box
   * @param {readonly [number, number]} pixels
   */
  function nudge(key, box, [right, down]) {
    const { clientWidth, clientHeight } = svg;
    state.placeRegion(
      key,
      movedWithin(box, right / (clientWidth * view.zoom), down / (clientHeight * view.zoom)),
    );
  }

  /**
   * @param {string} key
   * @param {Box} box
   * @param {number} times
   */
  function grow(key, box, times) {
    const width = Math.min(1, box.width * times);
    const height = Math.min(1, box.height * times);
    const centered = {
      x: box.x + (box.width - width) / 2,
      y: box.y + (box.height - height) / 2,
      width,
      height,
    };
    state.placeRegion(key, movedWithin(centered, 0, 0));
  }

  /** @returns {Box} */
  function boxInSight() {
    const area = svg.getBoundingClientRect();
    const center = view.pointAt({ clientX: area.x + area.width / 2, clientY: area.y + area.height / 2 });
    const width = NEW_SHARE / view.zoom;
    const height = Math.min(1, (width * area.width) / area.height);
    return movedWithin({ x: center.x - width / 2, y: center.y - height / 2, width, height }, 0, 0);
  }
}
