import { VideoRow, type RowParts } from "./video-row.ts";
import { drawRuler } from "./video-ruler.ts";
import { drawLoudness } from "./video-sound.ts";
import type { VideoPlayer } from "./video-player.ts";
import type { Lane } from "./video-lanes.ts";

/** As the style has it, in CSS pixels. */
export const HEAD_PX = 76;
const LANE_PX = 52;
/** How wide a frame is drawn at most. */
const MOST_FRAME_PX = 60;
const ZOOM_STEP = 1.6;
/** Rows past those that are seen, so that scrolling finds them. */
const SPARE_ROWS = 2;

/** What a timeline shows and works on. */
interface TimelineParts extends RowParts {
  readonly player: VideoPlayer;
}

/**
 * One lane for each thing, from when to when it is seen. Of hundreds of lanes only those are drawn that are in sight.
 */
export class VideoTimeline {
  readonly #view: HTMLElement;
  readonly #content: HTMLElement;
  readonly #ruler: HTMLCanvasElement;
  readonly #wave: HTMLCanvasElement;
  readonly #playhead: HTMLElement;
  readonly #parts: TimelineParts;
  readonly #rows = new Map<string, VideoRow>();
  #lanes: readonly Lane[] = [];
  #zoom = 1;
  #isAsked = false;
  #placeMarks: (scale: number) => void = () => undefined;
  #loudness: Float32Array | undefined;

  /** @param view what scrolls, with a ruler, a wave and a playhead in it */
  constructor(view: HTMLElement, parts: TimelineParts) {
    this.#view = view;
    this.#parts = parts;
    this.#content = view.querySelector(".lanes") as HTMLElement;
    this.#ruler = view.querySelector("canvas.ruler") as HTMLCanvasElement;
    this.#wave = view.querySelector("canvas.wave") as HTMLCanvasElement;
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

  /** CSS pixels a second. */
  get scale() {
    const room = Math.max(100, this.#view.clientWidth - HEAD_PX - 1);
    return (room / Math.max(0.1, this.#parts.player.durationSeconds)) * this.#zoom;
  }

  /** @param placeMarks is given the CSS pixels a second whenever the timeline is drawn */
  onScale(placeMarks: (scale: number) => void) {
    this.#placeMarks = placeMarks;
    this.ask();
  }

  secondsAt(clientX: number) {
    const left = this.#view.getBoundingClientRect().left + HEAD_PX - this.#view.scrollLeft;
    return Math.min(this.#parts.player.durationSeconds, Math.max(0, (clientX - left) / this.scale));
  }

  /** @param direction in, out, or to see all of it */
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

  /** @param loudness undefined where there is nothing to be drawn */
  showLoudness(loudness: Float32Array | undefined) {
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
   * @returns the key of its first bar
   */
  neighbor(key: string | undefined, direction: 1 | -1): string | undefined {
    const at = this.#lanes.findIndex(({ bars }) => bars.some((bar) => bar.key === key));
    const lane = this.#lanes[at === -1 ? 0 : at + direction];
    return lane?.bars[0]?.key;
  }

  /** Scrolls to the lane of something. */
  reveal(key: string) {
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
      // Keys and screen readers go from one to the next as they are seen.
      const there = this.#content.children[index];
      if (there !== row.element) this.#content.insertBefore(row.element, there ?? null);
      row.show(lane, { top: (first + index) * LANE_PX, scale: this.scale, headPx: HEAD_PX, ...inSight });
    }
    if (focus !== undefined && !this.#content.contains(document.activeElement)) {
      const again = this.#content.querySelector(focus);
      if (again instanceof HTMLElement) again.focus({ preventScroll: true });
    }
    this.#drawInSight(inSight);
    this.#placeMarks(this.scale);
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

/** How to find again what has the focus. */
function focusWithin(content: HTMLElement) {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement) || !content.contains(activeElement)) return undefined;
  const { focusKey } = activeElement.dataset;
  return focusKey === undefined ? undefined : `[data-focus-key="${CSS.escape(focusKey)}"]`;
}
