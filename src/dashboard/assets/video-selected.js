import { one } from "./editor-elements.js";
import { shownTime } from "./video-player.js";
import { keyframeAt } from "./video-tracks.js";

/** @import { EditorShapes } from "./editor-shapes.js" */
/** @import { VideoPlayer } from "./video-player.js" */
/** @import { Bar } from "./video-lanes.js" */
/** @import { VideoState } from "./video-state.js" */

/** Things that are offered to be merged with. */
const MOST_OFFERED = 20;

/**
 * Says what is selected, and offers what can be done with it.
 *
 * @param {object} parts
 * @param {HTMLElement} parts.editor
 * @param {SVGSVGElement} parts.svg
 * @param {VideoState} parts.state
 * @param {VideoPlayer} parts.player
 * @param {EditorShapes} parts.shapes
 * @param {(key: string) => string} parts.nameOf
 */
export function showSelected({ editor, svg, state, player, shapes, nameOf }) {
  const panel = one(editor, "[data-selected]", HTMLElement);
  const name = one(panel, "[data-selected-name]", HTMLElement);
  const others = one(panel, "select", HTMLSelectElement);
  const merge = one(panel, "[data-merge]", HTMLButtonElement);
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
    for (const button of panel.querySelectorAll("button, select"))
      button.toggleAttribute("disabled", track === undefined);
    name.textContent =
      selected === undefined || track === undefined
        ? "Nothing is selected."
        : `${nameOf(selected)}, ${shownTime(track.startSeconds)} to ${shownTime(track.endSeconds)}`;
    others.replaceChildren();
    if (selected === undefined || track === undefined) return;
    const bars = state
      .lanes()
      .flatMap((lane) => lane.bars)
      .filter(({ key }) => key !== selected)
      .sort((a, b) => gapTo(a) - gapTo(b))
      .slice(0, MOST_OFFERED);
    merge.disabled = bars.length === 0;
    others.append(
      ...bars.map(({ key, startSeconds }) => new Option(`${nameOf(key)} at ${shownTime(startSeconds)}`, key)),
    );
    showKeyframe();

    /** @param {Bar} bar */
    function gapTo({ startSeconds, endSeconds }) {
      if (track === undefined) return 0;
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
