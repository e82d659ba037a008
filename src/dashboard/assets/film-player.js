// A film on its page or in its review: the original follows the result, and one set of controls plays both.
import { followFilm } from "./compare-videos.js";
import { one } from "./editor-elements.js";
import { shownTime, VideoPlayer } from "./video-player.js";
import { playActions, takeTransport } from "./video-transport.js";

const KEYS = /** @type {Readonly<Record<string, string>>} */ ({
  " ": "play",
  p: "play",
  ",": "back",
  ".": "on",
  m: "sound",
});
/** Actions that move by frames need the duration of a frame. */
const STEPS = new Set(["back", "on", "farBack", "farOn"]);

/**
 * Takes over the players of a film.
 *
 * @param {HTMLElement} film
 */
export function playFilm(film) {
  const video = one(film, "figure:not(.original) video", HTMLVideoElement);
  const original = film.querySelector(".original video");
  const controls = one(film, "[data-film-controls]", HTMLElement);
  const views = one(film, ".views", HTMLElement);
  const rate = one(film, "[data-rate]", HTMLSelectElement);
  const sound = one(film, "[data-action=sound]", HTMLButtonElement);
  const fullScreen = one(film, "[data-action=fullScreen]", HTMLButtonElement);
  const player = new VideoPlayer(video, Number(film.dataset["duration"]));
  const actions = /** @type {Readonly<Record<string, () => void>>} */ ({
    ...playActions(player, () => Number(rate.value)),
    sound: () => {
      video.muted = !video.muted;
    },
    fullScreen: () => {
      const change =
        document.fullscreenElement === film ? document.exitFullscreen() : film.requestFullscreen();
      change.catch(() => undefined);
    },
  });
  /** @type {Promise<void> | undefined} */
  let learned;

  video.controls = false;
  controls.hidden = false;
  fullScreen.hidden = !document.fullscreenEnabled;
  takeTransport({
    root: film,
    player,
    act: (action) => void act(action),
    textOf: () => `${shownTime(player.seconds)} of ${shownTime(player.durationSeconds)}`,
  });
  if (original instanceof HTMLVideoElement) showBeside(original);
  views.addEventListener("click", () => void act("play"));
  video.addEventListener("volumechange", () => {
    sound.textContent = video.muted ? "Turn sound on" : "Turn sound off";
  });
  film.addEventListener("fullscreenchange", () => {
    fullScreen.textContent = document.fullscreenElement === film ? "Leave full screen" : "Full screen";
  });
  video.addEventListener("error", () => {
    one(film, "[data-film-fault]", HTMLElement).textContent =
      "This browser cannot play this video, or it was deleted. Download it to watch it.";
  });
  document.addEventListener("keydown", (event) => {
    const action = KEYS[event.key.toLowerCase()];
    if (action === undefined || !isMeant(event)) return;
    event.preventDefault();
    void act(action);
  });

  /** @param {string} action */
  async function act(action) {
    if (STEPS.has(action)) await (learned ??= player.learnFrameSeconds());
    actions[action]?.();
  }

  /** @param {HTMLVideoElement} beside */
  function showBeside(beside) {
    const figure = one(film, ".original", HTMLElement);
    const shown = one(film, "[data-show-original]", HTMLInputElement);
    beside.controls = false;
    followFilm(video, beside);
    shown.addEventListener("change", () => {
      figure.hidden = !shown.checked;
    });
    beside.addEventListener("error", () => {
      beside.hidden = true;
      one(figure, "figcaption", HTMLElement).textContent =
        "Original: this browser cannot play it, or it was deleted.";
    });
  }

  /** @param {KeyboardEvent} event */
  function isMeant({ key, target, ctrlKey, metaKey, altKey }) {
    if (ctrlKey || metaKey || altKey || !film.isConnected) return false;
    if (film.closest("[hidden], [inert]") !== null || !(target instanceof Element)) return false;
    if (target.closest("select, textarea, input:not([type=range]), [contenteditable]") !== null) return false;
    return key !== " " || target.closest("button, a, summary, label, input") === null;
  }
}
