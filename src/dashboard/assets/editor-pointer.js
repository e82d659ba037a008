/** @import { Box, EditorState } from "./editor-state.js" */
/** @import { EditorShapes } from "./editor-shapes.js" */
/** @import { EditorView } from "./editor-view.js" */
/** @typedef {"select" | "box" | "ellipse"} Tool */
/** @typedef {{ x: number, y: number }} Point */

/** A press that moves less than this, in CSS pixels, is a click. */
const CLICK_PX = 4;
/** The smallest side of a region, in CSS pixels: what is smaller was drawn by mistake. */
const LEAST_PX = 6;

/**
 * Lets mouse, pen and fingers switch shapes, draw, move and resize regions, pan and zoom.
 *
 * @param {object} parts
 * @param {SVGSVGElement} parts.svg
 * @param {EditorState} parts.state
 * @param {EditorShapes} parts.shapes
 * @param {EditorView} parts.view
 * @param {() => Tool} parts.toolOf
 * @param {() => void} parts.onDrawn called when a region was drawn
 */
export function takePointer({ svg, state, shapes, view, toolOf, onDrawn }) {
  /** @type {Map<number, PointerEvent>} */
  const pressed = new Map();
  /** @type {{ move: (point: Point, event: PointerEvent) => void, end: (isClick: boolean) => void } | undefined} */
  let gesture;
  let start = { x: 0, y: 0 };
  let hasMoved = false;
  let spread = 0;

  svg.addEventListener("pointerdown", (event) => {
    pressed.set(event.pointerId, event);
    svg.setPointerCapture(event.pointerId);
    if (pressed.size === 2) {
      // A second finger: what the first began was no drawing.
      gesture?.end(true);
      gesture = undefined;
      spread = distanceOf(pressed);
      return;
    }
    if (pressed.size > 2 || (event.button !== 0 && event.button !== 1)) return;
    start = { x: event.clientX, y: event.clientY };
    hasMoved = false;
    gesture = gestureAt(event);
  });

  svg.addEventListener("pointermove", (event) => {
    const before = pressed.get(event.pointerId);
    if (before === undefined) return;
    pressed.set(event.pointerId, event);
    if (pressed.size === 2) {
      pinch(before, event);
      return;
    }
    hasMoved ||= Math.hypot(event.clientX - start.x, event.clientY - start.y) > CLICK_PX;
    if (hasMoved) gesture?.move(view.pointAt(event), before);
  });

  for (const kind of /** @type {const} */ (["pointerup", "pointercancel"])) {
    svg.addEventListener(kind, (event) => {
      pressed.delete(event.pointerId);
      gesture?.end(!hasMoved);
      gesture = undefined;
    });
  }

  svg.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      // A trackpad's pinch comes as a wheel with Ctrl; two fingers that scroll pan.
      const isZoom = event.ctrlKey || event.metaKey || event.deltaMode !== WheelEvent.DOM_DELTA_PIXEL;
      if (isZoom || Math.abs(event.deltaY) >= 100)
        view.zoomTo(view.zoom * Math.exp(-event.deltaY / 400), view.pointAt(event));
      else view.pan(event.deltaX, event.deltaY);
    },
    { passive: false },
  );

  /**
   * @param {PointerEvent} before
   * @param {PointerEvent} event
   */
  function pinch(before, event) {
    const now = distanceOf(pressed);
    view.pan((before.clientX - event.clientX) / 2, (before.clientY - event.clientY) / 2);
    if (spread > 0) view.zoomTo((view.zoom * now) / spread, view.pointAt(middleOf(pressed)));
    spread = now;
  }

  /** @param {PointerEvent} event */
  function gestureAt(event) {
    const target = event.target instanceof SVGElement ? event.target : svg;
    const key = target.closest("g.thing") instanceof SVGGElement ? keyOf(target) : undefined;
    if (event.button === 1) return panning();
    if (target.dataset["across"] !== undefined) return resizing(target);
    if (toolOf() !== "select") return drawing(view.pointAt(event));
    if (key?.startsWith("region-")) return moving(key, view.pointAt(event));
    return { ...panning(), end: endOfPress(key) };
  }

  /** @param {string | undefined} key */
  function endOfPress(key) {
    /** @param {boolean} isClick */
    return (isClick) => {
      if (!isClick) return;
      shapes.select(key);
      if (key !== undefined) state.toggle(key);
    };
  }

  function panning() {
    let last = start;
    return {
      /**
       * @param {Point} _point
       * @param {PointerEvent} before
       */
      move: (_point, before) => {
        const now = pressed.get(before.pointerId) ?? before;
        view.pan(last.x - now.clientX, last.y - now.clientY);
        last = { x: now.clientX, y: now.clientY };
      },
      end: () => undefined,
    };
  }

  /** @param {Point} from */
  function drawing(from) {
    /** @type {string | undefined} */
    let key;
    return {
      /** @param {Point} to */
      move: (to) => {
        if (key === undefined) {
          state.beginGesture();
          key = state.addRegion(toolOf() === "ellipse" ? "ellipse" : "box", boxOf(from, to));
        } else state.placeRegion(key, boxOf(from, to));
      },
      end: () => {
        if (key === undefined) return;
        const region = state.draft.regions.find((one) => one.key === key);
        const isSpeck = region === undefined || isTooSmall(region.box);
        if (isSpeck) state.removeRegion(key);
        state.endGesture();
        if (isSpeck) return;
        shapes.select(key);
        onDrawn();
      },
    };
  }

  /**
   * @param {string} key
   * @param {Point} from
   */
  function moving(key, from) {
    const box = boxAt(key);
    state.beginGesture();
    return {
      /** @param {Point} to */
      move: (to) => {
        state.placeRegion(key, movedWithin(box, to.x - from.x, to.y - from.y));
      },
      end: () => {
        state.endGesture();
        shapes.select(key);
      },
    };
  }

  /** @param {SVGElement} handle */
  function resizing(handle) {
    const key = shapes.selected ?? "";
    const box = boxAt(key);
    const [across, down] = [Number(handle.dataset["across"]), Number(handle.dataset["down"])];
    state.beginGesture();
    return {
      /** @param {Point} to */
      move: (to) => {
        state.placeRegion(key, resized(box, { across, down }, to));
      },
      end: () => {
        state.endGesture();
        shapes.showHandles();
      },
    };
  }

  /** @param {string} key */
  function boxAt(key) {
    return (
      state.draft.regions.find((region) => region.key === key)?.box ?? { x: 0, y: 0, width: 0, height: 0 }
    );
  }

  /** @param {Box} box */
  function isTooSmall({ width, height }) {
    const { clientWidth, clientHeight } = svg;
    return Math.max(width * clientWidth, height * clientHeight) * view.zoom < LEAST_PX;
  }
}

/** @param {SVGElement} target */
function keyOf(target) {
  const group = target.closest("g.thing");
  return group instanceof SVGGElement ? group.dataset["key"] : undefined;
}

/**
 * @param {Point} a
 * @param {Point} b
 * @returns {Box}
 */
function boxOf(a, b) {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}

/**
 * A box moved by fractions of the picture, as far as it stays within.
 *
 * @param {Box} box
 * @param {number} right
 * @param {number} down
 * @returns {Box}
 */
export function movedWithin(box, right, down) {
  const x = Math.min(1 - box.width, Math.max(0, box.x + right));
  const y = Math.min(1 - box.height, Math.max(0, box.y + down));
  return { ...box, x, y };
}

/**
 * @param {Box} box
 * @param {{ across: number, down: number }} handle
 * @param {Point} to
 * @returns {Box}
 */
function resized({ x, y, width, height }, { across, down }, to) {
  const a = { x: across === -1 ? to.x : x, y: down === -1 ? to.y : y };
  const b = { x: across === 1 ? to.x : x + width, y: down === 1 ? to.y : y + height };
  return boxOf(a, b);
}

/** @param {ReadonlyMap<number, PointerEvent>} pressed */
function distanceOf(pressed) {
  const [a, b] = [...pressed.values()];
  return a === undefined || b === undefined ? 0 : Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
}

/** @param {ReadonlyMap<number, PointerEvent>} pressed */
function middleOf(pressed) {
  const events = [...pressed.values()];
  const sum = events.reduce((at, { clientX, clientY }) => ({ x: at.x + clientX, y: at.y + clientY }), {
    x: 0,
    y: 0,
  });
  return { clientX: sum.x / events.length, clientY: sum.y / events.length };
}
