/** A video that drifts by more than this while both play is synchronized, at most once in the time below. */
const DRIFT_SECONDS = 0.25;
const CATCH_UP_MS = 1_500;

/** Makes a video follow another one, without sound. */
export function followFilm(leader: HTMLVideoElement, follower: HTMLVideoElement) {
  follower.muted = true;
  let caughtUpAtMs = 0;
  // If one video waits for data, the other one waits too, so that both show the same moment.
  for (const kind of ["play", "playing"]) leader.addEventListener(kind, goOn);
  for (const kind of ["pause", "waiting", "ended"]) {
    leader.addEventListener(kind, () => {
      follower.pause();
      // A paused video shows a frame, which must match too.
      goThere();
    });
  }
  leader.addEventListener("ratechange", () => {
    follower.playbackRate = leader.playbackRate;
  });
  leader.addEventListener("seeking", goThere);
  follower.addEventListener("loadedmetadata", goThere);
  leader.addEventListener("timeupdate", () => {
    const drift = Math.abs(follower.currentTime - leader.currentTime);
    const isBusy = leader.paused || leader.seeking || follower.seeking || follower.ended;
    if (isBusy || drift <= DRIFT_SECONDS || performance.now() - caughtUpAtMs < CATCH_UP_MS) return;
    caughtUpAtMs = performance.now();
    goThere();
  });

  function goOn() {
    // If one cannot play, the other is not affected.
    if (!leader.paused && follower.paused) follower.play().catch(() => undefined);
  }

  function goThere() {
    if (follower.currentTime !== leader.currentTime) follower.currentTime = leader.currentTime;
  }
}
