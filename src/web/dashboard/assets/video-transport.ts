import { need } from "./elements.ts";
import type { VideoPlayer } from "./video-player.ts";

/** Keys on the slider; all others keep a slider's usual behavior. */
const SLIDER_KEYS = {
  ArrowLeft: "back",
  ArrowDown: "back",
  ArrowRight: "on",
  ArrowUp: "on",
  PageDown: "farBack",
  PageUp: "farOn",
  Home: "first",
  End: "last",
} as Readonly<Record<string, keyof ReturnType<typeof playActions>>>;

/**
 * The actions of a video player, shared by all pages with a video.
 *
 * @param rate how fast a person wants the video to play
 */
export function playActions(player: VideoPlayer, rate: () => number) {
  return {
    play: () => {
      if (player.isPlaying) player.pause();
      else player.play(rate());
    },
    back: () => {
      player.step(-1);
    },
    on: () => {
      player.step(1);
    },
    farBack: () => {
      player.step(-10);
    },
    farOn: () => {
      player.step(10);
    },
    first: () => {
      player.seek(0);
    },
    last: () => {
      player.seek(player.durationSeconds);
    },
  };
}

/** Wires what plays the video: the slider that scrubs, the speed, the time, and all buttons that do something with the video. */
export function takeTransport({
  root,
  player,
  act,
  textOf,
}: {
  readonly root: HTMLElement;
  readonly player: VideoPlayer;
  /** does what a button or a key asks for */
  readonly act: (action: string) => void;
  /** the time that is shown, in words */
  readonly textOf: () => string;
}) {
  const slider = need(root, "[data-scrub]", HTMLInputElement);
  const time = need(root, "[data-time]", HTMLElement);
  const play = need(root, "[data-action=play]", HTMLButtonElement);
  const rate = need(root, "[data-rate]", HTMLSelectElement);
  slider.max = String(player.durationSeconds);
  slider.addEventListener("input", () => {
    player.seek(Math.round(slider.valueAsNumber / player.frameSeconds) * player.frameSeconds);
  });
  slider.addEventListener("keydown", (event) => {
    const action = SLIDER_KEYS[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(action);
  });
  rate.addEventListener("change", () => {
    if (player.isPlaying) player.play(Number(rate.value));
  });
  for (const button of root.querySelectorAll("button[data-action]")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.addEventListener("click", () => {
      act(button.dataset["action"] ?? "");
    });
  }
  player.addEventListener("frame", show);
  player.addEventListener("playing", show);
  show();

  function show() {
    slider.value = String(player.seconds);
    const said = textOf();
    slider.setAttribute("aria-valuetext", said);
    time.textContent = said;
    play.textContent = player.isPlaying ? "Pause" : "Play";
  }
}
