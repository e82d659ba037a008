import { need } from "./elements.ts";
import { shownTime } from "./video-player.ts";
import type { MutedRange } from "./editor-state.ts";
import type { VideoPlayer } from "./video-player.ts";
import type { VideoState } from "./video-state.ts";
import type { TimeAxis, VideoTimeline } from "./video-timeline.ts";

/** A shorter press is taken for a click. */
const LEAST_SECONDS = 0.05;
/** What is drawn is rounded to a hundredth of a second, as times are shown. */
const DECIMALS = 100;
const LEAST_PX = 8;

interface Parts {
  readonly editor: HTMLElement;
  readonly state: VideoState;
  readonly player: VideoPlayer;
  readonly timeline: VideoTimeline;
  readonly say: (sentence: string) => void;
  readonly onChosen: (range: MutedRange) => void;
}

type Times = Pick<MutedRange, "startSeconds" | "endSeconds">;

/** Marks found speech and muted ranges in the sound of the timeline, where a range can be drawn with the mouse or a finger. */
export function takeMutedMarks(parts: Parts) {
  const { editor, state, timeline } = parts;
  const layer = need(editor, ".muted-marks", HTMLElement);
  let shown: readonly MutedRange[] | undefined;
  let drawn: Times | undefined;
  let axis: TimeAxis = { scale: 1, fromSeconds: 0, untilSeconds: 0 };
  const draft = document.createElement("div");
  draft.className = "muted-range on";

  const place = () => {
    const times: readonly Times[] = [...state.muted, ...(drawn === undefined ? [] : [drawn])];
    for (const [index, { startSeconds, endSeconds }] of times.entries()) {
      const mark = layer.children[index];
      if (!(mark instanceof HTMLElement)) continue;
      mark.style.left = `${(startSeconds - axis.fromSeconds) * axis.scale}px`;
      mark.style.width = `${Math.max(LEAST_PX, (endSeconds - startSeconds) * axis.scale)}px`;
    }
  };
  const show = () => {
    if (state.muted === shown) return;
    shown = state.muted;
    layer.replaceChildren(...shown.map((range) => markOf(range, parts)));
    place();
  };
  state.addEventListener("change", show);
  show();
  timeline.addMarks((next) => {
    axis = next;
    place();
  });
  takeDrawing(parts, (times) => {
    drawn = times;
    if (times === undefined) draft.remove();
    else layer.append(draft);
    place();
  });
}

/** Lets a person draw a range while the button is pressed in. */
function takeDrawing({ editor, state, timeline, say }: Parts, showDrawn: (times: Times | undefined) => void) {
  const button = need(editor, "[data-mute-part]", HTMLButtonElement);
  const sound = need(editor, ".sound", HTMLElement);
  const kind = need(editor, "[data-muted-form] select", HTMLSelectElement);
  let from: number | undefined;
  const isDrawing = () => button.getAttribute("aria-pressed") === "true";
  const press = (isIn: boolean) => {
    button.setAttribute("aria-pressed", String(isIn));
    editor.classList.toggle("muting", isIn);
    if (isIn) say("Drag over the sound on the timeline to mute that part.");
  };
  const timesTo = (clientX: number): Times => {
    const seconds = [from ?? 0, timeline.secondsAt(clientX)].map(
      (value) => Math.round(value * DECIMALS) / DECIMALS,
    );
    return { startSeconds: Math.min(...seconds), endSeconds: Math.max(...seconds) };
  };
  button.addEventListener("click", () => {
    press(!isDrawing());
  });
  sound.addEventListener("pointerdown", (event) => {
    if (!isDrawing() || event.button !== 0) return;
    // Otherwise the timeline would show the frame under the pointer.
    event.stopPropagation();
    event.preventDefault();
    sound.setPointerCapture(event.pointerId);
    from = timeline.secondsAt(event.clientX);
  });
  sound.addEventListener("pointermove", (event) => {
    if (from !== undefined) showDrawn(timesTo(event.clientX));
  });
  sound.addEventListener("pointercancel", () => {
    from = undefined;
    showDrawn(undefined);
  });
  sound.addEventListener("pointerup", (event) => {
    if (from === undefined) return;
    const times = timesTo(event.clientX);
    from = undefined;
    showDrawn(undefined);
    if (times.endSeconds - times.startSeconds < LEAST_SECONDS) return;
    press(false);
    need(editor, "[data-muted]", HTMLDetailsElement).open = true;
    state.addMuted({ ...times, sound: kind.value === "tone" ? "tone" : "silence" });
    say(`Muted from ${nameOf(times)}.`);
  });
}

/** The mark of a range. A click leads to it in the video and in the list. */
function markOf(range: MutedRange, { player, onChosen }: Parts) {
  const mark = document.createElement("div");
  mark.className = "muted-range";
  mark.classList.toggle("on", range.isOn);
  const button = document.createElement("button");
  button.type = "button";
  // The list has the same ranges for keys and screen readers.
  button.tabIndex = -1;
  const what = range.isSpeech ? "Speech" : { silence: "Silence", tone: "Tone" }[range.sound];
  button.title = `${what} from ${nameOf(range)}${range.isOn ? "" : ", not muted"}`;
  button.setAttribute("aria-label", button.title);
  button.addEventListener("pointerdown", (event) => {
    event.stopPropagation();
  });
  button.addEventListener("click", () => {
    player.seek(range.startSeconds);
    onChosen(range);
  });
  mark.append(button);
  return mark;
}

function nameOf({ startSeconds, endSeconds }: Times) {
  return `${shownTime(startSeconds)} to ${shownTime(endSeconds)}`;
}
