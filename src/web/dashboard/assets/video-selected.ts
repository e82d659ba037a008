import { need } from "./elements.ts";
import { shownTime } from "./video-player.ts";
import { keyframeAt } from "./video-tracks.ts";
import type { EditorShapes } from "./editor-shapes.ts";
import type { EditorSight } from "./editor-sight.ts";
import type { VideoPlayer } from "./video-player.ts";
import type { Bar } from "./video-lanes.ts";
import type { Track } from "./editor-state.ts";
import type { VideoState } from "./video-state.ts";

/** Things that are offered to be merged with. */
const MOST_OFFERED = 20;
/** Longer than any video: tracks of another category, or at the same time, are listed last. */
const UNLIKELY_SECONDS = 1e6;

/** Says what is selected, and offers what can be done with it and nothing else. */
export function showSelected({
  editor,
  svg,
  state,
  player,
  shapes,
  sight,
  nameOf,
}: {
  readonly editor: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly state: VideoState;
  readonly player: VideoPlayer;
  readonly shapes: EditorShapes;
  readonly sight: EditorSight;
  readonly nameOf: (key: string) => string;
}) {
  const panel = need(editor, "[data-selected]", HTMLElement);
  const name = need(panel, "[data-selected-name]", HTMLElement);
  const others = need(panel, "select", HTMLSelectElement);
  const merge = need(panel, "[data-merge]", HTMLButtonElement);
  const toggle = need(panel, "[data-action=toggle] span", HTMLElement);
  const keyframe = need(panel, "[data-action=keyframe]", HTMLButtonElement);
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
      element.hidden = !offered[element.dataset["for"] as keyof typeof offered];
    }
    name.textContent = isThere
      ? `${nameOf(selected)}, ${shownTime(track.startSeconds)} to ${shownTime(track.endSeconds)}`
      : "Click a mask in the picture or on the timeline to change when and where it hides something.";
    if (isThere) offer(selected, track);
    // Where a button that was pressed has gone, the keyboard goes on from here.
    if (hadFocus && document.activeElement?.closest("[hidden]") !== null)
      panel.focus({ preventScroll: true });
  }

  function offer(selected: string, track: Track) {
    const category = track.category ?? null;
    toggle.textContent = state.draft.hidden.has(selected) ? "Leave visible" : "Hide";
    const bars = state
      .lanes()
      .flatMap((lane) => lane.bars)
      .filter(({ key, isHidden }) => key !== selected && (isHidden || sight.isListed(key)))
      .sort((a, b) => rankOf(a) - rankOf(b))
      .slice(0, MOST_OFFERED);
    need(panel, ".merging", HTMLElement).hidden = bars.length === 0;
    others.replaceChildren(
      ...[
        { label: "Hidden", bars: bars.filter(({ isHidden }) => isHidden) },
        { label: "Visible", bars: bars.filter(({ isHidden }) => !isHidden) },
      ].flatMap((group) => (group.bars.length === 0 ? [] : [optionsOf(group)])),
    );
    showKeyframe();

    function optionsOf({ label, bars: offered }: { readonly label: string; readonly bars: readonly Bar[] }) {
      const group = document.createElement("optgroup");
      group.label = label;
      group.append(
        ...offered.map((bar) => {
          const short = nameOf(bar.key).replace(/,.*/, "");
          return new Option(`${short}: ${whenOf(bar)}, from ${shownTime(bar.startSeconds)}`, bar.key);
        }),
      );
      return group;
    }

    /** Seconds from the end of the selected one to a later one, below zero for an earlier one; zero where they overlap. */
    function gapTo({ startSeconds, endSeconds }: Bar) {
      if (startSeconds > track.endSeconds) return startSeconds - track.endSeconds;
      return endSeconds < track.startSeconds ? endSeconds - track.startSeconds : 0;
    }

    /** What is most likely the same thing comes first: what begins soon after the selected one or ends soon before it. */
    function rankOf(bar: Bar) {
      const isOfOther = bar.category !== category ? UNLIKELY_SECONDS : 0;
      return isOfOther + (isOverlapping(bar) ? UNLIKELY_SECONDS : Math.abs(gapTo(bar)));
    }

    function isOverlapping({ startSeconds, endSeconds }: Bar) {
      return startSeconds < track.endSeconds && endSeconds > track.startSeconds;
    }

    function whenOf(bar: Bar) {
      if (isOverlapping(bar)) return "at the same time";
      const gap = gapTo(bar);
      const side = bar.startSeconds >= track.endSeconds ? "after" : "before";
      return Math.abs(gap) < 0.05 ? `right ${side}` : `${Math.abs(gap).toFixed(1)} s ${side}`;
    }
  }

  function showKeyframe() {
    const { selected } = shapes;
    const track = selected === undefined ? undefined : state.regionOf(selected)?.track;
    const isThere = track !== undefined && keyframeAt(track.keyframes, player.seconds) !== undefined;
    keyframe.setAttribute("aria-pressed", String(isThere));
  }
}
