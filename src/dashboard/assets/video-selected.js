import { one } from "./editor-elements.js";
import { shownTime } from "./video-player.js";
import { keyframeAt } from "./video-tracks.js";

/** @import { EditorShapes } from "./editor-shapes.js" */
/** @import { EditorSight } from "./editor-sight.js" */
/** @import { VideoPlayer } from "./video-player.js" */
/** @import { Bar } from "./video-lanes.js" */
/** @import { VideoState } from "./video-state.js" */

/** Things that are offered to be merged with. */
const MOST_OFFERED = 20;

/**
 * Says what is selected, and offers what can be done with it and nothing else.
 *
 * @param {object} parts
 * @param {HTMLElement} parts.editor
 * @param {SVGSVGElement} parts.svg
 * @param {VideoState} parts.state
 * @param {VideoPlayer} parts.player
 * @param {EditorShapes} parts.shapes
 * @param {EditorSight} parts.sight
 * @param {(key: string) => string} parts.nameOf
 */
export function showSelected({ editor, svg, state, player, shapes, sight, nameOf }) {
  const panel = one(editor, "[data-selected]", HTMLElement);
  const name = one(panel, "[data-selected-name]", HTMLElement);
  const others = one(panel, "select", HTMLSelectElement);
  const merge = one(panel, "[data-merge]", HTMLButtonElement);
  const toggle = one(panel, "[data-action=toggle]", HTMLButtonElement);
  const keyframe = one(panel, "[data-action=keyframe]", HTMLButtonElement);
  merge.addEventListener("click", () => {
    const { selected } = shapes;
    if (selected !== undefined && others.value !== "") state.merge(selected, others.value);
  });
  svg.addEventListener("selected", show);
  state.addEventListener("change", show);
  player.addEventListener("frame", showKeyframe);
  show();

  function show() {
    const { selected } = shapes;
    const track = selected === undefined ? undefined : state.trackOf(selected);
    const hadFocus = panel.contains(document.activeElement);
    const isThere = selected !== undefined && track !== undefined;
    const region = isThere ? state.regionOf(selected) : undefined;
    const offered = {
      some: isThere,
      found: isThere && region === undefined,
      added: region !== undefined,
      moving: (region?.track?.keyframes.length ?? 0) > 1,
    };
    for (const element of panel.querySelectorAll("[data-for]")) {
      if (!(element instanceof HTMLElement)) continue;
      element.hidden = !offered[/** @type {keyof typeof offered} */ (element.dataset["for"])];
    }
    name.textContent = isThere
      ? `${nameOf(selected)}, ${shownTime(track.startSeconds)} to ${shownTime(track.endSeconds)}`
      : "Select something to change when and where it is hidden.";
    if (isThere) offer(selected, track);
    // Where a button that was pressed has gone, the keyboard goes on from here.
    if (hadFocus && document.activeElement?.closest("[hidden]") !== null)
      panel.focus({ preventScroll: true });
  }

  /**
   * @param {string} selected
   * @param {{ readonly startSeconds: number, readonly endSeconds: number }} track
   */
  function offer(selected, track) {
    toggle.textContent = state.draft.hidden.has(selected) ? "Do not hide" : "Hide";
    const bars = state
      .lanes()
      .flatMap((lane) => lane.bars)
      .filter(({ key, isHidden }) => key !== selected && (isHidden || sight.isListed(key)))
      .sort((a, b) => gapTo(a) - gapTo(b))
      .slice(0, MOST_OFFERED);
    one(panel, ".merging", HTMLElement).hidden = bars.length === 0;
    others.replaceChildren(
      ...bars.map(({ key, startSeconds }) => new Option(`${nameOf(key)} at ${shownTime(startSeconds)}`, key)),
    );
    showKeyframe();

    /** @param {Bar} bar */
    function gapTo({ startSeconds, endSeconds }) {
      return Math.min(Math.abs(startSeconds - track.endSeconds), Math.abs(track.startSeconds - endSeconds));
    }
  }

  function showKeyframe() {
    const { selected } = shapes;
    const track = selected === undefined ? undefined : state.regionOf(selected)?.track;
    const isThere = track !== undefined && keyframeAt(track.keyframes, player.seconds) !== undefined;
    keyframe.setAttribute("aria-pressed", String(isThere));
  }
}
