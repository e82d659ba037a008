import { VideoRow, type RowParts } from "./video-row.ts";
import { drawRuler } from "./video-ruler.ts";
import { drawLoudness } from "./video-sound.ts";
import type { VideoPlayer } from "./video-player.ts";
import type { Lane } from "./video-lanes.ts";

/** The width in the style sheet, in CSS pixels. */
const HEAD_PX = 76;
const LANE_PX = 52;
/** The largest width of a frame, in CSS pixels. */
const MOST_FRAME_PX = 60;
const ZOOM_STEP = 1.6;
/** Rows that are drawn beyond the visible ones, for scrolling. */
const SPARE_ROWS = 2;

/** The part of a video that the timeline shows, and CSS pixels per second. */
export interface TimeAxis {
  readonly scale: number;
  readonly fromSeconds: number;
  readonly untilSeconds: number;
}

/** The data and callbacks of a timeline. */
interface TimelineParts extends RowParts {
  readonly player: VideoPlayer;
}

/**
 * One lane per object, with the times in which it is visible. Only the lanes in view are drawn, because there may be hundreds.
 */
export class VideoTimeline {
  readonly #view: HTMLElement;
  readonly #content: HTMLElement;
  readonly #ruler: HTMLCanvasElement;
  readonly #wave: HTMLCanvasElement;
  readonly #sound: HTMLElement;
  readonly #playhead: HTMLElement;
  readonly #parts: TimelineParts;
  readonly #rows = new Map<string, VideoRow>();
  #lanes: readonly Lane[] = [];
  #zoom = 1;
  #isAsked = false;
  readonly #marks: ((axis: TimeAxis) => void)[] = [];
  #loudness: Float32Array | undefined;

  /** @param view the scrolling element, with a ruler, a waveform and a playhead in it */
  constructor(view: HTMLElement, parts: TimelineParts) {
    this.#view = view;
    this.#parts = parts;
    this.#content = view.querySelector(".lanes") as HTMLElement;
    this.#ruler = view.querySelector("canvas.ruler") as HTMLCanvasElement;
    this.#wave = view.querySelector("canvas.wave") as HTMLCanvasElement;
    this.#sound = view.querySelector(".sound") as HTMLElement;
    this.#playhead = view.querySelector(".playhead") as HTMLElement;
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

  /** CSS pixels per second. */
  get scale() {
    const room = Math.max(100, this.#view.clientWidth - HEAD_PX - 1);
    return (room / Math.max(0.1, this.#parts.player.durationSeconds)) * this.#zoom;
  }

  /** @param place places marks whenever the timeline is drawn */
  addMarks(place: (axis: TimeAxis) => void) {
    this.#marks.push(place);
    this.ask();
  }

  secondsAt(clientX: number) {
    const { clientLeft, scrollLeft } = this.#view;
    const left = this.#view.getBoundingClientRect().left + clientLeft + HEAD_PX - scrollLeft;
    return Math.min(this.#parts.player.durationSeconds, Math.max(0, (clientX - left) / this.scale));
  }

  /** @param direction in, out, or 0 to show everything */
  zoom(direction: 1 | -1 | 0) {
    const { durationSeconds, frameSeconds, seconds } = this.#parts.player;
    const before = seconds * this.scale - this.#view.scrollLeft;
    const most = (MOST_FRAME_PX * durationSeconds) / frameSeconds / Math.max(100, this.#view.clientWidth);
    this.#zoom =
      direction === 0 ? 1 : Math.min(Math.max(1, most), Math.max(1, this.#zoom * ZOOM_STEP ** direction));
    this.#place();
    this.#view.scrollLeft = seconds * this.scale - before;
    this.ask();
  }

  /** Shows the row of the sound. It has no waveform if the loudness is not known. */
  showSound(loudness: Float32Array | undefined) {
    this.#loudness = loudness;
    this.#sound.hidden = false;
    this.#wave.hidden = loudness === undefined;
    this.ask();
  }

  /** Hides the row of the sound, for a video that has none. */
  hideSound() {
    this.#sound.hidden = true;
  }

  /** Applies changes of the state. */
  show() {
    const { state, sight } = this.#parts;
    this.#lanes = state
      .lanes()
      .filter(({ bars }) => bars.some(({ key, isHidden }) => isHidden || sight.isListed(key)));
    this.ask();
  }

  /**
   * The lane above or below the lane of a track.
   *
   * @returns the key of its first bar
   */
  neighbor(key: string | undefined, direction: 1 | -1): string | undefined {
    const at = this.#lanes.findIndex(({ bars }) => bars.some((bar) => bar.key === key));
    const lane = this.#lanes[at === -1 ? 0 : at + direction];
    return lane?.bars[0]?.key;
  }

  /** Scrolls to the lane of a track. */
  reveal(key: string) {
    const index = this.#lanes.findIndex(({ bars }) => bars.some((bar) => bar.key === key));
    if (index === -1) return;
    const top = index * LANE_PX;
    const room = this.#view.clientHeight - this.#content.offsetTop;
    if (top < this.#view.scrollTop) this.#view.scrollTop = top;
    else if (top + LANE_PX > this.#view.scrollTop + room) this.#view.scrollTop = top + LANE_PX - room;
    this.ask();
  }

  /** Draws the visible lanes before the next repaint. */
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
    const inSight = {
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
      // Keys and screen readers follow the visible order.
      const there = this.#content.children[index];
      if (there !== row.element) this.#content.insertBefore(row.element, there ?? null);
      row.show(lane, { top: (first + index) * LANE_PX, scale: this.scale, headPx: HEAD_PX, ...inSight });
    }
    if (focus !== undefined && !this.#content.contains(document.activeElement)) {
      const again = this.#content.querySelector(focus);
      if (again instanceof HTMLElement) again.focus({ preventScroll: true });
    }
    this.#drawInSight(inSight);
    for (const place of this.#marks) place({ scale: this.scale, ...inSight });
    this.#showPlayhead();
  }

  #drawInSight(inSight: { readonly fromSeconds: number; readonly untilSeconds: number }) {
    const width = Math.max(1, this.#view.clientWidth - HEAD_PX);
    for (const canvas of [this.#ruler, this.#wave]) if (canvas.width !== width) canvas.width = width;
    drawRuler(this.#ruler, inSight);
    if (this.#loudness !== undefined) drawLoudness(this.#wave, this.#loudness, inSight);
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

/** A selector of the focused element, to find it again. */
function focusWithin(content: HTMLElement) {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement) || !content.contains(activeElement)) return undefined;
  const { focusKey } = activeElement.dataset;
  return focusKey === undefined ? undefined : `[data-focus-key="${CSS.escape(focusKey)}"]`;
}
