// The players of a video on its page or in its review. The original follows the result, and one set of controls plays both.
import { followFilm } from "./compare-videos.ts";
import { need } from "./elements.ts";
import { shownTime, VideoPlayer } from "./video-player.ts";
import { playActions, takeTransport } from "./video-transport.ts";

const KEYS = {
  " ": "play",
  p: "play",
  ",": "back",
  ".": "on",
  m: "sound",
} as Readonly<Record<string, string>>;
/** Actions that move by frames need the duration of a frame. */
const STEPS = new Set(["back", "on", "farBack", "farOn"]);

/** Controls the players of a video. */
export function playFilm(film: HTMLElement) {
  const video = need(film, "figure:not(.original) video", HTMLVideoElement);
  const original = film.querySelector(".original video");
  const controls = need(film, "[data-film-controls]", HTMLElement);
  const views = need(film, ".views", HTMLElement);
  const rate = need(film, "[data-rate]", HTMLSelectElement);
  const sound = need(film, "[data-action=sound]", HTMLButtonElement);
  const fullScreen = need(film, "[data-action=fullScreen]", HTMLButtonElement);
  const player = new VideoPlayer(video, Number(film.dataset["duration"]));
  const actions = {
    ...playActions(player, () => Number(rate.value)),
    sound: () => {
      video.muted = !video.muted;
    },
    fullScreen: () => {
      const change =
        document.fullscreenElement === film ? document.exitFullscreen() : film.requestFullscreen();
      change.catch(() => undefined);
    },
  } as Readonly<Record<string, () => void>>;
  let learned: Promise<void> | undefined;

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
    need(film, "[data-film-fault]", HTMLElement).textContent =
      "This browser cannot play this video, or it was deleted. Download it to watch it.";
  });
  document.addEventListener("keydown", (event) => {
    const action = KEYS[event.key.toLowerCase()];
    if (action === undefined || !isMeant(event)) return;
    event.preventDefault();
    void act(action);
  });

  async function act(action: string) {
    if (STEPS.has(action)) await (learned ??= player.learnFrameSeconds());
    actions[action]?.();
  }

  function showBeside(beside: HTMLVideoElement) {
    const figure = need(film, ".original", HTMLElement);
    const shown = need(film, "[data-show-original]", HTMLInputElement);
    beside.controls = false;
    followFilm(video, beside);
    shown.addEventListener("change", () => {
      figure.hidden = !shown.checked;
    });
    beside.addEventListener("error", () => {
      beside.hidden = true;
      need(figure, "figcaption", HTMLElement).textContent =
        "Original: this browser cannot play it, or it was deleted.";
    });
  }

  function isMeant({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) {
    if (ctrlKey || metaKey || altKey || !film.isConnected) return false;
    if (film.closest("[hidden], [inert]") !== null || !(target instanceof Element)) return false;
    if (target.closest("select, textarea, input:not([type=range]), [contenteditable]") !== null) return false;
    return key !== " " || target.closest("button, a, summary, label, input") === null;
  }
}
