/** Until frames were seen one after the other. */
const USUAL_FRAME_SECONDS = 1 / 30;
/** Frames a second, those first that are met most. */
const USUAL_RATES = [30, 25, 60, 50, 24, 15, 20, 12, 10, 48, 120];
const ROUNDING_SECONDS = 0.0006;
/** How slowly frames are played to learn how long each is shown, and how many of them. */
const LEARNING_RATE = 0.25;
const LEARNING_FRAMES = 6;
const LEARNING_MS = 4000;

/**
 * Shows a video frame by frame. Each time another frame is seen, it tells so by the event "frame".
 */
export class VideoPlayer extends EventTarget {
  frameSeconds: number;
  readonly #video: HTMLVideoElement;
  #seconds = 0;
  #firstSeconds = 0;
  #hasShown = false;
  /** Where a seek is to end that is under way: frames that were on their way before it are no news. */
  #target = undefined as number | undefined;
  readonly #durationSeconds: number;

  constructor(video: HTMLVideoElement, durationSeconds: number) {
    super();
    this.#video = video;
    this.#durationSeconds = durationSeconds;
    /** How long a frame is shown. */
    this.frameSeconds = USUAL_FRAME_SECONDS;
    for (const kind of ["play", "pause", "ended"]) {
      video.addEventListener(kind, () => {
        this.dispatchEvent(new Event("playing"));
      });
    }
    this.#watch();
  }

  /** When the frame that is seen is shown, from the first one on. */
  get seconds() {
    return this.#seconds;
  }

  get durationSeconds() {
    return this.#durationSeconds;
  }

  get frame() {
    return Math.round(this.#seconds / this.frameSeconds);
  }

  get isPlaying() {
    return !this.#video.paused && !this.#video.ended;
  }

  play(rate: number) {
    this.#video.playbackRate = rate;
    this.#target = undefined;
    // A browser that refuses shows that it is still paused.
    this.#video.play().catch(() => undefined);
  }

  pause() {
    this.#video.pause();
  }

  /** Shows the frame of a time. */
  seek(seconds: number) {
    this.pause();
    const last = this.#durationSeconds - this.frameSeconds / 2;
    this.#seconds = Math.max(0, Math.min(last, seconds));
    this.#target = this.#seconds;
    // A little into the frame: what rounding makes of its beginning may lie in the one before.
    const into = Math.min(this.frameSeconds / 3, 0.01);
    this.#video.currentTime = this.#firstSeconds + this.#seconds + into;
    this.dispatchEvent(new Event("frame"));
  }

  /** Goes on by frames, or back. */
  step(frames: number) {
    this.seek(this.#seconds + frames * this.frameSeconds);
  }

  /**
   * Plays another file of the same film, from where this one is.
   *
   * @returns whether the browser can play it
   */
  async replace(source: string) {
    this.#hasShown = false;
    this.#firstSeconds = 0;
    this.#target = undefined;
    const seconds = this.#seconds;
    const isPlayable = await new Promise((resolve: (hasPicture: boolean) => void) => {
      const events = new AbortController();
      const end = (hasPicture: boolean) => {
        events.abort();
        resolve(hasPicture);
      };
      this.#video.addEventListener("loadeddata", () => end(this.#video.videoWidth > 0), events);
      this.#video.addEventListener("error", () => end(false), events);
      this.#video.src = source;
    });
    if (!isPlayable) return false;
    await this.#firstFrame();
    await this.learnFrameSeconds();
    this.seek(seconds);
    return true;
  }

  /** A page in the background is shown no frames. */
  async #firstFrame() {
    await new Promise((resolve) => {
      window.setTimeout(resolve, LEARNING_MS);
      this.addEventListener("frame", resolve, { once: true });
    });
  }

  /** Learns how long frames are shown, from a few of them, played slowly where nobody sees it. */
  async learnFrameSeconds() {
    const scout = document.createElement("video");
    scout.muted = true;
    scout.preload = "auto";
    scout.src = this.#video.currentSrc || this.#video.src;
    scout.playbackRate = LEARNING_RATE;
    const times: number[] = [];
    await new Promise((resolve) => {
      const next = () => {
        scout.requestVideoFrameCallback((_now, { mediaTime }) => {
          times.push(mediaTime);
          if (times.length > LEARNING_FRAMES) resolve(undefined);
          else next();
        });
      };
      next();
      window.setTimeout(resolve, LEARNING_MS);
      scout.play().catch(resolve);
    });
    scout.pause();
    scout.removeAttribute("src");
    scout.load();
    const gaps = times.slice(1).flatMap((time, index) => {
      const gap = time - (times[index] ?? time);
      return gap > 0.001 ? [gap] : [];
    });
    if (gaps.length > 0) this.frameSeconds = usualSeconds(Math.min(...gaps));
  }

  #watch() {
    this.#video.requestVideoFrameCallback((_now, { mediaTime }) => {
      if (!this.#hasShown) {
        this.#hasShown = true;
        // The sound may begin before the first frame, and players count from what begins first.
        if (this.#video.currentTime === 0) this.#firstSeconds = mediaTime;
      }
      const seconds = Math.max(0, mediaTime - this.#firstSeconds);
      if (!this.#isLate(mediaTime)) {
        this.#target = undefined;
        this.#seconds = seconds;
        this.dispatchEvent(new Event("frame"));
      }
      this.#watch();
    });
  }

  /**
   * Whether a frame was on its way before the seek that is under way: one that does not hold the place that is sought. The one just
   * before it is as near to that as can be, and taken for it, a step would be lost.
   *
   * @param mediaTime where the frame begins, as the browser counts
   */
  #isLate(mediaTime: number) {
    if (this.#target === undefined) return false;
    const intoSeconds = this.#video.currentTime - mediaTime;
    return intoSeconds > this.frameSeconds || intoSeconds < -this.frameSeconds / 2;
  }
}

/** How long a frame is shown at the usual rate that comes closest: containers round times, WebM to a thousandth of a second. */
function usualSeconds(seconds: number) {
  const usual = USUAL_RATES.map((rate) => 1 / rate);
  return usual.find((one) => Math.abs(one - seconds) < ROUNDING_SECONDS) ?? seconds;
}

/** A time as people read it. */
export function shownTime(seconds: number) {
  const whole = Math.floor(seconds / 60);
  return `${whole}:${(seconds - whole * 60).toFixed(2).padStart(5, "0")}`;
}
