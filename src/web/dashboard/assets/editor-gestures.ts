// The gestures of a press that moves. Each gesture receives every move and the end.
import { boxBetween, moveWithin, resizeBox } from "./editor-geometry.ts";
import type { Box, Point } from "./editor-geometry.ts";
import type { EditorShapes } from "./editor-shapes.ts";
import type { EditorState } from "./editor-state.ts";
import type { EditorView } from "./editor-view.ts";

export interface Gesture {
  /** called with the place under the pointer once it has moved farther than a click may */
  move: (to: Point, event: PointerEvent) => void;
  end: (isClick: boolean) => void;
}

interface Workbench {
  readonly svg: SVGSVGElement;
  readonly state: EditorState;
  readonly shapes: EditorShapes;
  readonly view: EditorView;
}

/** The smallest side of a region, in CSS pixels. Smaller ones were drawn by mistake. */
const LEAST_PX = 6;

/**
 * Pans the view. A click selects the shape under the pointer and hides or shows it.
 *
 * @param key of the shape under the pointer
 */
export function panning({ view, shapes, state }: Workbench, start: PointerEvent, key?: string): Gesture {
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

/** Draws a region. */
export function drawing(
  { svg, state, shapes, view }: Workbench,
  from: Point,
  { kind, onDrawn }: { readonly kind: "box" | "ellipse"; readonly onDrawn: (key: string) => void },
): Gesture {
  let key: string | undefined;
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

/** Moves a region. */
export function moving({ state, shapes }: Workbench, from: Point, key: string): Gesture {
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

/** Moves a side or a corner of the region that is selected. */
export function resizing({ state, shapes }: Workbench, handle: SVGElement): Gesture {
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

function boxOf(state: EditorState, key: string): Box {
  return state.boxOf(key) ?? { x: 0, y: 0, width: 0, height: 0 };
}
