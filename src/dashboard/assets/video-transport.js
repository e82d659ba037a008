import { one } from "./editor-elements.js";
import { shownTime } from "./video-player.js";

/** @import { VideoAction, VideoActions } from "./video-actions.js" */
/** @import { VideoPlayer } from "./video-player.js" */

/** Keys on the slider; all others keep a slider's usual behavior. */
const SLIDER_KEYS = /** @type {Readonly<Record<string, VideoAction>>} */ ({
  ArrowLeft: "back",
  ArrowDown: "back",
  ArrowRight: "on",
  ArrowUp: "on",
  PageDown: "farBack",
  PageUp: "farOn",
  Home: "first",
  End: "last",
});

/**
 * Wires what plays the video: the slider that scrubs, the time, and all buttons that do something with the video.
 *
 * @param {object} parts
 * @param {HTMLElement} parts.editor
 * @param {VideoPlayer} parts.player
 * @param {VideoActions} parts.actions
 */
export function takeTransport({ editor, player, actions }) {
  const slider = one(editor, "[data-scrub]", HTMLInputElement);
  const time = one(editor, "[data-time]", HTMLElement);
  const play = one(editor, "[data-action=play]", HTMLButtonElement);
  slider.max = String(player.durationSeconds);
  slider.addEventListener("input", () => {
    player.seek(Math.round(slider.valueAsNumber / player.frameSeconds) * player.frameSeconds);
  });
  slider.addEventListener("keydown", (event) => {
    const action = SLIDER_KEYS[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[action]();
  });
  for (const button of editor.querySelectorAll("button[data-action]")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    const action = /** @type {VideoAction} */ (button.dataset["action"]);
    button.addEventListener("click", () => {
      actions[action]();
    });
  }
  player.addEventListener("frame", show);
  player.addEventListener("playing", show);
  show();

  function show() {
    slider.value = String(player.seconds);
    const said = `${shownTime(player.seconds)}, frame ${player.frame}`;
    slider.setAttribute("aria-valuetext", said);
    time.textContent = said;
    play.textContent = player.isPlaying ? "Pause" : "Play";
  }
}
