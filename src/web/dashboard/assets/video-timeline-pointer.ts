import type { EditorShapes } from "./editor-shapes.ts";
import type { VideoPlayer } from "./video-player.ts";
import type { VideoState } from "./video-state.ts";
import type { VideoTimeline } from "./video-timeline.ts";

/**
 * Adds mouse, pen and touch to the timeline. A press shows a frame and selects the bar there; the ends and keyframes of the selected bar
 * can be dragged.
 */
export function takeTimelinePointer({
  view,
  timeline,
  state,
  player,
  shapes,
}: {
  readonly view: HTMLElement;
  readonly timeline: VideoTimeline;
  readonly state: VideoState;
  readonly player: VideoPlayer;
  readonly shapes: EditorShapes;
}) {
  let drag: ((seconds: number) => void) | undefined;
  let isStep = false;

  view.addEventListener("pointerdown", (event) => {
    const target = event.target instanceof HTMLElement ? event.target : view;
    if (event.button !== 0 || target.closest(".head") !== null) return;
    drag = dragAt(target);
    if (drag === undefined) return;
    view.setPointerCapture(event.pointerId);
    view.focus({ preventScroll: true });
    // The pressed element may be redrawn, which would end the press.
    event.preventDefault();
    if (!isStep) drag(timeline.secondsAt(event.clientX));
  });
  view.addEventListener("pointermove", (event) => {
    drag?.(timeline.secondsAt(event.clientX));
  });
  for (const kind of ["pointerup", "pointercancel"] as const) {
    view.addEventListener(kind, () => {
      drag = undefined;
      if (isStep) state.endGesture();
      isStep = false;
    });
  }
  view.addEventListener("click", (event) => {
    const bar =
      event.target instanceof HTMLElement ? event.target.closest("button.track-bar, button.keyframe") : null;
    if (!(bar instanceof HTMLElement)) return;
    // Only for key presses. After a pointer press, the frame is already shown.
    if (event.detail === 0) choose(bar);
  });

  function dragAt(target: HTMLElement) {
    const { edge, keyframe } = target.dataset;
    if (edge !== undefined || keyframe !== undefined) {
      isStep = true;
      state.beginGesture();
      return edge === undefined ? movingKeyframe(target) : trimming(target);
    }
    const bar = target.closest("button.track-bar");
    if (bar instanceof HTMLElement) shapes.select(bar.dataset["key"], { isFocused: false });
    else if (target.closest(".ruler, .sound, .lane, .lanes") === null) return undefined;
    return scrub;
  }

  function scrub(seconds: number) {
    player.seek(toFrame(seconds));
  }

  function trimming(edge: HTMLElement) {
    let key = edge.dataset["key"] ?? "";
    const side = edge.dataset["edge"] === "start" ? "start" : "end";
    return (seconds: number) => {
      player.seek(toFrame(seconds));
      const next = state.trim(key, side, toFrame(seconds));
      if (next !== key) shapes.select(next, { isFocused: false });
      key = next;
    };
  }

  function movingKeyframe(mark: HTMLElement) {
    const key = mark.dataset["key"] ?? "";
    let from = Number(mark.dataset["keyframe"]);
    return (seconds: number) => {
      const to = toFrame(seconds);
      state.moveKeyframe(key, from, to);
      from = to;
      player.seek(to);
    };
  }

  function choose(pressed: HTMLElement) {
    const { key, keyframe } = pressed.dataset;
    const bar = key === undefined ? undefined : state.trackOf(key);
    if (bar === undefined) return;
    const isSeen = player.seconds >= bar.startSeconds && player.seconds <= bar.endSeconds;
    if (keyframe !== undefined) player.seek(Number(keyframe));
    else if (!isSeen) player.seek(bar.startSeconds);
    shapes.select(key, { isFocused: false });
  }

  function toFrame(seconds: number) {
    return Math.round(seconds / player.frameSeconds) * player.frameSeconds;
  }
}
