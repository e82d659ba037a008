import { boxAround, moveWithin, scaleBox } from "./editor-geometry.ts";
import type { Box } from "./editor-geometry.ts";
import type { EditorState } from "./editor-state.ts";
import type { EditorShapes } from "./editor-shapes.ts";
import type { EditorView } from "./editor-view.ts";

/** How far an arrow key moves a region or the picture, in CSS pixels; ten times as far with Shift. */
const STEP_PX = 2;
/** The side of a region that the keyboard adds, as a share of the visible part. */
const NEW_SHARE = 0.2;
/** The factor by which a key enlarges a region. */
const GROWTH = 1.1;

const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
} as Readonly<Record<string, readonly [number, number]>>;

/** Whether a key press is meant for an editor: the focus is in the editor or nowhere, and not in a text field. */
export function isFor(editor: HTMLElement, { target }: KeyboardEvent) {
  if (target instanceof HTMLTextAreaElement) return false;
  return target === document.body || (target instanceof Node && editor.contains(target));
}

/** Adds the keys for undo and redo, which work everywhere in the editor. */
export function takeUndoKeys(editor: HTMLElement, state: EditorState) {
  document.addEventListener("keydown", (event) => {
    if (!isFor(editor, event)) return;
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
}

/** Adds keys that switch, move, resize and remove the focused shape, as the pointer can. */
export function takeKeys({
  svg,
  state,
  shapes,
  view,
  handleFirst,
}: {
  readonly svg: SVGSVGElement;
  readonly state: EditorState;
  readonly shapes: EditorShapes;
  readonly view: EditorView;
  /** handles the editor's own keys first and returns whether it handled a press; `key` is that of the focused shape */
  readonly handleFirst: (event: KeyboardEvent, key: string | undefined) => boolean;
}) {
  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.target instanceof SVGGElement ? event.target.dataset["key"] : undefined;
    if (handleFirst(event, key) || handled(event, key)) event.preventDefault();
  });
  svg.addEventListener("focusin", (event) => {
    const key = event.target instanceof SVGGElement ? event.target.dataset["key"] : undefined;
    if (key !== undefined && key !== shapes.selected) shapes.select(key);
  });

  /** @param key of the focused shape */
  function handled({ key: pressed, shiftKey }: KeyboardEvent, key: string | undefined) {
    const arrow = ARROWS[pressed];
    const box = key === undefined ? undefined : state.boxOf(key);
    if (arrow !== undefined) {
      const step = STEP_PX * (shiftKey ? 10 : 1);
      if (key === undefined || box === undefined) view.pan(arrow[0] * step * 10, arrow[1] * step * 10);
      else nudge(key, box, [arrow[0] * step, arrow[1] * step]);
      return true;
    }
    if (key !== undefined && box !== undefined && (pressed === "Delete" || pressed === "Backspace")) {
      state.removeRegion(key);
      svg.focus();
    } else if (key !== undefined && box !== undefined && (pressed === "[" || pressed === "]"))
      state.placeRegion(key, scaleBox(box, pressed === "]" ? GROWTH : 1 / GROWTH));
    else if (key !== undefined && box === undefined && (pressed === " " || pressed === "Enter"))
      state.toggle(key);
    else if (pressed === "+" || pressed === "=") view.zoomIn();
    else if (pressed === "-") view.zoomOut();
    else if (pressed === "0") view.fit();
    else if (pressed === "Escape") shapes.select(undefined);
    else return false;
    return true;
  }

  function nudge(key: string, box: Box, [right, down]: readonly [number, number]) {
    const { clientWidth, clientHeight } = svg;
    const moved = moveWithin(box, right / (clientWidth * view.zoom), down / (clientHeight * view.zoom));
    state.placeRegion(key, moved);
  }
}

/** A new region in the middle of the visible part. */
export function boxInSight(svg: SVGSVGElement, view: EditorView): Box {
  const area = svg.getBoundingClientRect();
  const center = view.pointAt({ clientX: area.x + area.width / 2, clientY: area.y + area.height / 2 });
  const width = NEW_SHARE / view.zoom;
  return boxAround(center, { width, height: (width * area.width) / area.height });
}
