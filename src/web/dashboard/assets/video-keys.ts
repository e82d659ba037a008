import { isFor } from "./editor-keys.ts";
import type { VideoAction, VideoActions } from "./video-actions.ts";
import type { Leading } from "./video-lead.ts";

/** Keys that work everywhere in the editor. */
const ANYWHERE = {
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
} as Readonly<Record<string, VideoAction>>;

/** Keys that work on the picture and the timeline, unless a button uses them. */
const ON_STAGE = {
  " ": "play",
  Home: "first",
  End: "last",
  ArrowLeft: "back",
  ArrowRight: "on",
  ArrowUp: "above",
  ArrowDown: "below",
} as Readonly<Record<string, VideoAction>>;

const STEERING = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
} as Readonly<Record<string, readonly [number, number]>>;
/** How far an arrow key moves a led mask, as a share of the picture; farther with Shift. */
const STEER_SHARE = 0.01;

/**
 * Adds keys for everything that the pointer can do.
 *
 * @returns a handler for keys on the picture, which returns whether it handled a press
 */
export function takeVideoKeys({
  editor,
  timelineView,
  actions,
  leading,
}: {
  readonly editor: HTMLElement;
  readonly timelineView: HTMLElement;
  readonly actions: VideoActions;
  readonly leading: Leading;
}): (event: KeyboardEvent, key: string | undefined) => boolean {
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

  function onTimeline(event: KeyboardEvent, target: HTMLElement) {
    const isNowhere = target === document.body;
    if ((!isNowhere && !timelineView.contains(target)) || target instanceof HTMLInputElement) return false;
    if (event.key === "Delete" || event.key === "Backspace")
      return act(target.dataset["keyframe"] === undefined ? "remove" : "keyframe");
    return (isNowhere || event.key !== " ") && act(ON_STAGE[event.key]);
  }

  function steer({ key, shiftKey }: KeyboardEvent) {
    if (!leading.isLeading) return false;
    const way = STEERING[key];
    const step = STEER_SHARE * (shiftKey ? 4 : 1);
    if (way !== undefined) leading.nudge(way[0] * step, way[1] * step);
    else if (key === "Escape" || key === "Enter" || key === " ") leading.end();
    else return false;
    return true;
  }

  function act(action: VideoAction | undefined) {
    if (action === undefined) return false;
    actions[action]();
    return true;
  }
}
