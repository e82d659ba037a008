/** Players that are closer than this show the same; setting them again would never end. */
const SAME_SECONDS = 0.1;

/** While they play, one that falls behind by more is set anew, and not again before so long. */
const DRIFT_SECONDS = 0.25;
const CATCH_UP_MS = 1_500;

/**
 * Plays two videos side by side: what is done to one is done to the other, and only the redacted one is heard.
 *
 * @param {HTMLElement} compare
 */
export function playTogether(compare) {
  const first = compare.querySelector("figure:not(.original) video");
  const second = compare.querySelector(".original video");
  if (!(first instanceof HTMLVideoElement) || !(second instanceof HTMLVideoElement)) return;
  second.muted = true;
  for (const [one, other] of /** @type {const} */ ([
    [first, second],
    [second, first],
  ])) {
    one.addEventListener("play", () => {
      // One that cannot play leaves the other alone.
      if (other.paused) other.play().catch(() => undefined);
    });
    one.addEventListener("pause", () => {
      if (other.paused) return;
      other.pause();
      // Standing still, a tenth of a second is seen.
      other.currentTime = one.currentTime;
    });
    one.addEventListener("ratechange", () => {
      other.playbackRate = one.playbackRate;
    });
    // While a player seeks, it says already where to: a seek that has been overtaken is not handed on.
    one.addEventListener("seeking", () => {
      if (Math.abs(other.currentTime - one.currentTime) > SAME_SECONDS) other.currentTime = one.currentTime;
    });
  }
  let caughtUpAtMs = 0;
  first.addEventListener("timeupdate", () => {
    const drift = Math.abs(second.currentTime - first.currentTime);
    const isBusy = first.paused || first.seeking || second.seeking || second.ended;
    if (isBusy || drift <= DRIFT_SECONDS || performance.now() - caughtUpAtMs < CATCH_UP_MS) return;
    caughtUpAtMs = performance.now();
    second.currentTime = first.currentTime;
  });
}
