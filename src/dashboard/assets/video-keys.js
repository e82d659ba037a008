import { isFor } from "./editor-keys.js";

/** @import { VideoAction, VideoActions } from "./video-actions.js" */

/** Keys that work everywhere in the editor. */
const ANYWHERE = /** @type {Readonly<Record<string, VideoAction>>} */ ({
  ",": "back",
  ".": "on",
  PageDown: "farBack",
  PageUp: "farOn",
  "<": "previous",
  ">": "next",
  p: "play",
  j: "middle",
  h: "toggle",
  s: "split",
  i: "start",
  o: "end",
  k: "keyframe",
  b: "box",
  f: "follow",
  l: "lead",
});

/** Keys that work on the picture and the timeline, where no button uses them. */
const ON_STAGE = /** @type {Readonly<Record<string, VideoAction>>} */ ({
  " ": "play",
  Home: "first",
  End: "last",
  ArrowLeft: "back",
  ArrowRight: "on",
  ArrowUp: "above",
  ArrowDown: "below",
});

const STEERING = /** @type {Readonly<Record<string, readonly [number, number]>>} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
});
/** How far an arrow key takes a mask that is led, as a share of the picture; more with Shift. */
const STEER_SHARE = 0.01;

/**
 * Lets the keyboard alone do all that the pointer can.
 *
 * @param {object} parts
 * @param {HTMLElement} parts.editor
 * @param {HTMLElement} parts.timelineView
 * @param {VideoActions} parts.actions
 * @param {import("./video-lead.js").Leading} parts.leading
 * @returns {(event: KeyboardEvent, key: string | undefined) => boolean} what keys do on the picture: whether a press is done with
 */
export function takeVideoKeys({ editor, timelineView, actions, leading }) {
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (!isFor(editor, event) || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (!(target instanceof HTMLElement) || target instanceof HTMLSelectElement) return;
    if (steer(event) || act(ANYWHERE[event.key]) || onTimeline(event, target)) event.preventDefault();
  });

  return (event, key) => {
    if (steer(event) || act(ANYWHERE[event.key])) return true;
    const isRegion = key?.startsWith("region-") === true;
    const isThing = key !== undefined;
    if (isRegion && event.key.startsWith("Arrow")) return false;
    if (isThing && !isRegion && event.key === " ") return false;
    return act(ON_STAGE[event.key]);
  };

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} target
   */
  function onTimeline(event, target) {
    const isNowhere = target === document.body;
    if ((!isNowhere && !timelineView.contains(target)) || target instanceof HTMLInputElement) return false;
    if (event.key === "Delete" || event.key === "Backspace")
      return act(target.dataset["keyframe"] === undefined ? "remove" : "keyframe");
    return (isNowhere || event.key !== " ") && act(ON_STAGE[event.key]);
  }

  /** @param {KeyboardEvent} event */
  function steer({ key, shiftKey }) {
    if (!leading.isLeading) return false;
    const way = STEERING[key];
    const step = STEER_SHARE * (shiftKey ? 4 : 1);
    if (way !== undefined) leading.nudge(way[0] * step, way[1] * step);
    else if (key === "Escape" || key === "Enter" || key === " ") leading.end();
    else return false;
    return true;
  }

  /** @param {VideoAction | undefined} action */
  function act(action) {
    if (action === undefined) return false;
    actions[action]();
    return true;
  }
}
