import type { Point } from "./editor-geometry.ts";
import type { Gesture } from "./editor-gestures.ts";
import type { EditorView } from "./editor-view.ts";

/** A press that moves less than this, in CSS pixels, is a click. */
const CLICK_PX = 4;
/** A wheel event with a larger delta than this comes from a mouse, others from a trackpad. */
const NOTCH_PX = 100;

/** Adds mouse, pen and touch. One pressed pointer makes a gesture; two pointers, or the wheel, zoom and pan. */
export function takePointer({
  svg,
  view,
  gestureAt,
}: {
  readonly svg: SVGSVGElement;
  readonly view: EditorView;
  /** the gesture that a press begins; `key` is that of the shape under it */
  readonly gestureAt: (press: {
    target: SVGElement;
    key: string | undefined;
    at: Point;
    event: PointerEvent;
  }) => Gesture;
}) {
  const pressed = new Map<number, PointerEvent>();
  let gesture: Gesture | undefined;
  let start = { x: 0, y: 0 };
  let hasMoved = false;
  let spread = 0;

  svg.addEventListener("pointerdown", (event) => {
    pressed.set(event.pointerId, event);
    svg.setPointerCapture(event.pointerId);
    if (pressed.size === 2) {
      // A second finger means zooming, so the first finger's gesture is canceled.
      gesture?.end(false);
      gesture = undefined;
      spread = distanceBetween(pressed);
      return;
    }
    if (pressed.size > 2 || (event.button !== 0 && event.button !== 1)) return;
    start = { x: event.clientX, y: event.clientY };
    hasMoved = false;
    const target = event.target instanceof SVGElement ? event.target : svg;
    gesture = gestureAt({ target, key: keyAt(target), at: view.pointAt(event), event });
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
    if (hasMoved) gesture?.move(view.pointAt(event), event);
  });

  for (const kind of ["pointerup", "pointercancel"] as const) {
    svg.addEventListener(kind, (event) => {
      pressed.delete(event.pointerId);
      gesture?.end(!hasMoved && kind === "pointerup");
      gesture = undefined;
    });
  }

  svg.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      // A pinch on a trackpad arrives as a wheel event with Ctrl. Scrolling with two fingers pans.
      const isZoom = event.ctrlKey || event.metaKey || event.deltaMode !== WheelEvent.DOM_DELTA_PIXEL;
      if (isZoom || Math.abs(event.deltaY) >= NOTCH_PX)
        view.zoomTo(view.zoom * Math.exp(-event.deltaY / 400), view.pointAt(event));
      else view.pan(event.deltaX, event.deltaY);
    },
    { passive: false },
  );

  function pinch(before: PointerEvent, event: PointerEvent) {
    const now = distanceBetween(pressed);
    view.pan((before.clientX - event.clientX) / 2, (before.clientY - event.clientY) / 2);
    if (spread > 0) view.zoomTo((view.zoom * now) / spread, view.pointAt(middleOfAll(pressed)));
    spread = now;
  }
}

function keyAt(target: SVGElement) {
  const group = target.closest("g.thing");
  return group instanceof SVGGElement ? group.dataset["key"] : undefined;
}

function distanceBetween(pressed: ReadonlyMap<number, PointerEvent>) {
  const [a, b] = [...pressed.values()];
  return a === undefined || b === undefined ? 0 : Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
}

function middleOfAll(pressed: ReadonlyMap<number, PointerEvent>) {
  const events = [...pressed.values()];
  const sum = events.reduce((at, { clientX, clientY }) => ({ x: at.x + clientX, y: at.y + clientY }), {
    x: 0,
    y: 0,
  });
  return { clientX: sum.x / events.length, clientY: sum.y / events.length };
}
