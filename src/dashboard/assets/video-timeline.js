import { VideoRow } from "./video-row.js";
import { drawRuler } from "./video-ruler.js";
import { drawLoudness } from "./video-sound.js";

/** @import { EditorShapes } from "./editor-shapes.js" */
/** @import { EditorSight } from "./editor-sight.js" */
/** @import { VideoPlayer } from "./video-player.js" */
/** @import { Lane } from "./video-lanes.js" */
/** @import { VideoState } from "./video-state.js" */
/** @import { Thumbnails } from "./video-thumbnails.js" */

/** As the style has it, in CSS pixels. */
export const HEAD_PX = 76;
export const LANE_PX = 52;
/** How wide a frame is drawn at most. */
const MOST_FRAME_PX = 60;
const ZOOM_STEP = 1.6;
/** Rows past those that are seen, so that scrolling finds them. */
const SPARE_ROWS = 2;

/**
 * One lane for each thing, from when to when it is seen. Of hundreds of lanes only those are drawn that are in sight.
 */
export class VideoTimeline {
  #view;
  #content;
  #ruler;
  #wave;
  #playhead;
  #parts;
  /** @type {Map<string, VideoRow>} */
  #rows = new Map();
  /** @type {readonly Lane[]} */
  #lanes = [];
  #zoom = 1;
  #isAsked = false;
  /** @type {Float32Array | undefined} */
  #loudness;

  /**
   * @param {HTMLElement} view what scrolls, with a ruler, a wave and a playhead in it
   * @param {object} parts
   * @param {VideoState} parts.state
   * @param {VideoPlayer} parts.player
   * @param {EditorShapes} parts.shapes
   * @param {EditorSight} parts.sight
   * @param {Thumbnails} parts.thumbnails
   * @param {(key: string) => string} parts.nameOf
   */
  constructor(view, parts) {
    this.#view = view;
    this.#parts = parts;
    this.#content = /** @type {HTMLElement} */ (view.querySelector(".lanes"));
    this.#ruler = /** @type {HTMLCanvasElement} */ (view.querySelector("canvas.ruler"));
    this.#wave = /** @type {HTMLCanvasElement} */ (view.querySelector("canvas.wave"));
    this.#playhead = /** @type {HTMLElement} */ (view.querySelector(".playhead"));
    for (const event of ["scroll", "focusin"]) {
      view.addEventListener(event, () => {
        this.ask();
      });
    }
    new ResizeObserver(() => {
      this.ask();
    }).observe(view);
    parts.player.addEventListener("frame", () => {
      this.#showPlayhead();
    });
    this.show();
  }

  /** CSS pixels a second. */
  get scale() {
    const room = Math.max(100, this.#view.clientWidth - HEAD_PX - 1);
    return (room / Math.max(0.1, this.#parts.player.durationSeconds)) * this.#zoom;
  }

  /** @param {number} clientX */
  secondsAt(clientX) {
    const left = this.#view.getBoundingClientRect().left + HEAD_PX - this.#view.scrollLeft;
    return Math.min(this.#parts.player.durationSeconds, Math.max(0, (clientX - left) / this.scale));
  }

  /** @param {1 | -1 | 0} direction in, out, or to see all of it */
  zoom(direction) {
    const { durationSeconds, frameSeconds, seconds } = this.#parts.player;
    const before = seconds * this.scale - this.#view.scrollLeft;
    const most = (MOST_FRAME_PX * durationSeconds) / frameSeconds / Math.max(100, this.#view.clientWidth);
    this.#zoom =
      direction === 0 ? 1 : Math.min(Math.max(1, most), Math.max(1, this.#zoom * ZOOM_STEP ** direction));
    this.#place();
    this.#view.scrollLeft = seconds * this.scale - before;
    this.ask();
  }

  /** @param {Float32Array | undefined} loudness undefined where there is nothing to be drawn */
  showLoudness(loudness) {
    this.#loudness = loudness;
    this.#wave.hidden = loudness === undefined;
    this.ask();
  }

  /** Takes over what has changed. */
  show() {
    const { state, sight } = this.#parts;
    this.#lanes = state
      .lanes()
      .filter(({ bars }) => bars.some(({ key, isHidden }) => isHidden || sight.isListed(key)));
    this.ask();
  }

  /**
   * The lane above or below that of something.
   *
   * @param {string | undefined} key
   * @param {1 | -1} direction
   * @returns {string | undefined} the key of its first bar
   */
  neighbor(key, direction) {
    const at = this.#lanes.findIndex(({ bars }) => bars.some((bar) => bar.key === key));
    const lane = this.#lanes[at === -1 ? 0 : at + direction];
    return lane?.bars[0]?.key;
  }

  /**
   * Scrolls to the lane of something.
   *
   * @param {string} key
   */
  reveal(key) {
    const index = this.#lanes.findIndex(({ bars }) => bars.some((bar) => bar.key === key));
    if (index === -1) return;
    const top = index * LANE_PX;
    const room = this.#view.clientHeight - this.#content.offsetTop;
    if (top < this.#view.scrollTop) this.#view.scrollTop = top;
    else if (top + LANE_PX > this.#view.scrollTop + room) this.#view.scrollTop = top + LANE_PX - room;
    this.ask();
  }

  /** Draws what is in sight before the next picture of the screen. */
  ask() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    window.requestAnimationFrame(() => {
      this.#isAsked = false;
      this.#draw();
    });
  }

  #place() {
    this.#content.style.width = `${HEAD_PX + this.#parts.player.durationSeconds * this.scale}px`;
    this.#content.style.height = `${Math.max(1, this.#lanes.length) * LANE_PX}px`;
  }

  #draw() {
    this.#place();
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.#view;
    const first = Math.max(0, Math.floor(scrollTop / LANE_PX) - SPARE_ROWS);
    const last = Math.ceil((scrollTop + clientHeight) / LANE_PX) + SPARE_ROWS;
    const stretch = {
      fromSeconds: scrollLeft / this.scale,
      untilSeconds: (scrollLeft + clientWidth - HEAD_PX) / this.scale,
    };
    const focus = focusWithin(this.#content);
    const seen = new Set(this.#lanes.slice(first, last).map(({ key }) => key));
    for (const [key, row] of this.#rows) {
      if (seen.has(key)) continue;
      row.element.remove();
      this.#rows.delete(key);
    }
    for (const [index, lane] of this.#lanes.slice(first, last).entries()) {
      let row = this.#rows.get(lane.key);
      if (row === undefined) {
        row = new VideoRow(this.#parts);
        this.#rows.set(lane.key, row);
      }
      // Keys and screen readers go from one to the next as they are seen.
      const there = this.#content.children[index];
      if (there !== row.element) this.#content.insertBefore(row.element, there ?? null);
      row.show(lane, { top: (first + index) * LANE_PX, scale: this.scale, headPx: HEAD_PX, ...stretch });
    }
    if (focus !== undefined && !this.#content.contains(document.activeElement)) {
      const again = this.#content.querySelector(focus);
      if (again instanceof HTMLElement) again.focus({ preventScroll: true });
    }
    this.#drawStretch(stretch);
    this.#showPlayhead();
  }

  /** @param {{ readonly fromSeconds: number, readonly untilSeconds: number }} stretch */
  #drawStretch(stretch) {
    const width = Math.max(1, this.#view.clientWidth - HEAD_PX);
    for (const canvas of [this.#ruler, this.#wave]) if (canvas.width !== width) canvas.width = width;
    drawRuler(this.#ruler, stretch);
    if (this.#loudness !== undefined) drawLoudness(this.#wave, this.#loudness, stretch);
  }

  #showPlayhead() {
    const { player } = this.#parts;
    const left = player.seconds * this.scale;
    this.#playhead.style.transform = `translateX(${HEAD_PX + left}px)`;
    this.#playhead.style.height = `${this.#view.scrollHeight}px`;
    const room = this.#view.clientWidth - HEAD_PX;
    const { scrollLeft } = this.#view;
    if (this.#zoom > 1 && (left < scrollLeft || left > scrollLeft + room))
      this.#view.scrollLeft = left - room / 4;
  }
}

/**
 * How to find again what has the focus.
 *
 * @param {HTMLElement} content
 */
function focusWithin(content) {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement) || !content.contains(activeElement)) return undefined;
  const { focusKey } = activeElement.dataset;
  return focusKey === undefined ? undefined : `[data-focus-key="${CSS.escape(focusKey)}"]`;
}
