import { boxAround, middleOf } from "./editor-geometry.ts";
import type { Box } from "./editor-geometry.ts";

interface Wanted {
  readonly canvas: HTMLCanvasElement;
  readonly seconds: number;
  readonly box: Box;
}

/** How much of its surroundings a thumbnail shows, as a multiple of the object's size. */
const SURROUNDINGS = 1.5;
/** The most thumbnails in memory. They are never sent or stored. */
const MOST_KEPT = 400;
const SEEK_MS = 3000;

/** Draws thumbnails from the video itself, most recently requested first. */
export class Thumbnails {
  readonly #video = document.createElement("video");
  readonly #kept = new Map<string, HTMLCanvasElement>();
  readonly #wanted = new Map<string, Wanted>();
  #isDrawing = false;

  #part: Box;

  /** @param part the area of the frames to which boxes refer */
  constructor(source: string, part: Box) {
    this.#part = part;
    this.#video.muted = true;
    this.#video.preload = "auto";
    this.#video.src = source;
  }

  /** Draws from another file of the same film. */
  replace(source: string, part: Box) {
    this.#part = part;
    this.#video.src = source;
  }

  draw(wanted: Wanted) {
    const { canvas, seconds, box } = wanted;
    const place = [box.x, box.y, box.width, box.height].map((share) => share.toFixed(3));
    const key = [seconds.toFixed(2), ...place].join();
    if (canvas.dataset["shown"] === key) return;
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      copy(kept, canvas);
      canvas.dataset["shown"] = key;
      return;
    }
    this.#wanted.set(key, wanted);
    void this.#drawAll();
  }

  async #drawAll() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    for (let next = [...this.#wanted].at(-1); next !== undefined; next = [...this.#wanted].at(-1)) {
      const [key, { canvas, seconds, box }] = next;
      this.#wanted.delete(key);
      // A thumbnail that was scrolled out of view is drawn when it is visible again.
      if (!canvas.isConnected) continue;
      if (!(await this.#seek(seconds))) continue;
      drawPlace(this.#video, canvas, { box, part: this.#part });
      canvas.dataset["shown"] = key;
      this.#keep(key, canvas);
    }
    this.#isDrawing = false;
  }

  async #seek(seconds: number) {
    return await new Promise((resolve: (isThere: boolean) => void) => {
      const timer = window.setTimeout(() => {
        this.#video.removeEventListener("seeked", done);
        resolve(false);
      }, SEEK_MS);
      const done = () => {
        window.clearTimeout(timer);
        resolve(true);
      };
      this.#video.addEventListener("seeked", done, { once: true });
      this.#video.currentTime = seconds + 0.01;
    });
  }

  #keep(key: string, canvas: HTMLCanvasElement) {
    const kept = document.createElement("canvas");
    [kept.width, kept.height] = [canvas.width, canvas.height];
    copy(canvas, kept);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}

function copy(from: HTMLCanvasElement, to: HTMLCanvasElement) {
  to.getContext("2d")?.drawImage(from, 0, 0, to.width, to.height);
}

/**
 * Draws a place of a video with its surroundings, in the canvas's aspect ratio.
 *
 * @param place a box in a part of the frames
 */
function drawPlace(
  video: HTMLVideoElement,
  canvas: HTMLCanvasElement,
  { box, part }: { readonly box: Box; readonly part: Box },
) {
  const [videoWidth, videoHeight] = [video.videoWidth * part.width, video.videoHeight * part.height];
  const [width, height] = [box.width * SURROUNDINGS * videoWidth, box.height * SURROUNDINGS * videoHeight];
  const scale = Math.min(
    Math.max(width / canvas.width, height / canvas.height),
    videoWidth / canvas.width,
    videoHeight / canvas.height,
  );
  const around = boxAround(middleOf(box), {
    width: (canvas.width * scale) / videoWidth,
    height: (canvas.height * scale) / videoHeight,
  });
  canvas
    .getContext("2d")
    ?.drawImage(
      video,
      part.x * video.videoWidth + around.x * videoWidth,
      part.y * video.videoHeight + around.y * videoHeight,
      around.width * videoWidth,
      around.height * videoHeight,
      0,
      0,
      canvas.width,
      canvas.height,
    );
}
