import { areaOf } from "./editor-geometry.ts";
import { shownTime } from "./video-player.ts";
import { boxAt } from "./video-tracks.ts";
import type { EditorShapes } from "./editor-shapes.ts";
import type { EditorSight } from "./editor-sight.ts";
import type { Bar, Lane } from "./video-lanes.ts";
import type { VideoState } from "./video-state.ts";
import type { Thumbnails } from "./video-thumbnails.ts";

/** Where a lane is drawn, how many pixels a second has, and which time range is visible. */
interface Sight {
  readonly top: number;
  readonly scale: number;
  readonly headPx: number;
  readonly fromSeconds: number;
  readonly untilSeconds: number;
}

const THUMBNAIL_PX = 40;
/** The width of a bar per thumbnail. */
const EACH_PX = 96;
const LEAST_BAR_PX = 6;

/** The data and callbacks of a row. */
export interface RowParts {
  readonly state: VideoState;
  readonly shapes: EditorShapes;
  readonly sight: EditorSight;
  readonly thumbnails: Thumbnails;
  readonly nameOf: (key: string) => string;
}

/** One lane of the timeline: a switch with a thumbnail, and a bar for each part. */
export class VideoRow {
  readonly element: HTMLDivElement;
  readonly #parts: RowParts;
  readonly #switch = document.createElement("input");
  readonly #picture = thumbnail();
  readonly #bars = document.createElement("div");
  #shown = "";
  #keys: readonly string[] = [];

  constructor(parts: RowParts) {
    this.#parts = parts;
    this.element = document.createElement("div");
    this.element.className = "lane";
    const head = document.createElement("label");
    head.className = "head";
    this.#switch.type = "checkbox";
    this.#switch.addEventListener("change", () => {
      this.#setHidden(this.#switch.checked);
    });
    head.append(this.#switch, this.#picture);
    this.#bars.className = "bars";
    this.element.append(head, this.#bars);
  }

  show(lane: Lane, sight: Sight) {
    const { top, scale, headPx, fromSeconds } = sight;
    this.element.style.transform = `translateY(${top}px)`;
    const { selected } = this.#parts.shapes;
    const known = JSON.stringify([
      lane,
      scale,
      selected,
      headPx,
      Math.floor((fromSeconds * scale) / EACH_PX),
    ]);
    if (known === this.#shown) return;
    this.#shown = known;
    this.#keys = lane.bars.map(({ key }) => key);
    const [first] = lane.bars;
    if (first === undefined) return;
    const name = this.#parts.nameOf(lane.key);
    this.#switch.checked = lane.bars.every(({ isHidden }) => isHidden);
    this.#switch.indeterminate = !this.#switch.checked && lane.bars.some(({ isHidden }) => isHidden);
    this.#switch.dataset["focusKey"] = `switch ${lane.key}`;
    this.#switch.setAttribute("aria-label", `Hide ${name}`);
    this.#switch.title = name;
    this.element.dataset["category"] = first.isRegion ? "added" : (first.category ?? "none");
    this.#bars.replaceChildren(...lane.bars.flatMap((bar) => this.#elementsOf(bar, sight)));
    const largest = [...first.keyframes].sort((a, b) => areaOf(b.box) - areaOf(a.box))[0];
    if (largest !== undefined) {
      const { box, time_seconds: seconds } = largest;
      this.#parts.thumbnails.draw({
        canvas: this.#picture,
        seconds: Math.max(first.startSeconds, seconds),
        box,
      });
    }
  }

  #setHidden(isHidden: boolean) {
    const { state, sight } = this.#parts;
    // A detection that is switched here keeps its lane.
    sight.keep(this.#keys);
    const ids = this.#keys.filter((key) => state.regionOf(key) === undefined);
    if (isHidden || ids.length > 0) state.setHidden(ids, isHidden);
    else state.removeLane(this.#keys);
  }

  #elementsOf(bar: Bar, sight: Sight) {
    const { key, startSeconds, endSeconds, isHidden, keyframes, isRegion } = bar;
    const { scale, headPx } = sight;
    const isSelected = this.#parts.shapes.selected === key;
    const left = headPx + startSeconds * scale;
    const width = Math.max(LEAST_BAR_PX, (endSeconds - startSeconds) * scale);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "track-bar";
    button.classList.toggle("hidden-thing", isHidden);
    button.classList.toggle("selected", isSelected);
    button.dataset["key"] = key;
    button.dataset["focusKey"] = key;
    const span = `${shownTime(startSeconds)} to ${shownTime(endSeconds)}`;
    button.setAttribute(
      "aria-label",
      `${this.#parts.nameOf(key)}, ${span}, ${isHidden ? "hidden" : "visible"}`,
    );
    if (isSelected) button.setAttribute("aria-current", "true");
    button.style.left = `${left}px`;
    button.style.width = `${width}px`;
    button.append(...this.#thumbnailsOf(bar, width, sight));
    if (!isSelected) return [button];
    const edges = (["start", "end"] as const).map((side) => {
      const edge = document.createElement("span");
      edge.className = "edge";
      edge.dataset["edge"] = side;
      edge.dataset["key"] = key;
      edge.style.left = `${side === "start" ? left : left + width}px`;
      return edge;
    });
    const marks = isRegion && keyframes.length > 1 ? keyframes : [];
    return [
      button,
      ...edges,
      ...marks.map(({ time_seconds: seconds }) => keyframeMark(key, seconds, headPx + seconds * scale)),
    ];
  }

  #thumbnailsOf(
    { startSeconds, endSeconds, keyframes }: Bar,
    width: number,
    { scale, fromSeconds, untilSeconds }: Sight,
  ) {
    const pictures = [];
    for (let left = EACH_PX - THUMBNAIL_PX; left + THUMBNAIL_PX <= width; left += EACH_PX) {
      const seconds = Math.min(endSeconds, startSeconds + (left + THUMBNAIL_PX / 2) / scale);
      const box = boxAt(keyframes, seconds);
      if (
        seconds < fromSeconds - EACH_PX / scale ||
        seconds > untilSeconds + EACH_PX / scale ||
        box === undefined
      )
        continue;
      const canvas = thumbnail();
      canvas.style.left = `${left}px`;
      pictures.push(canvas);
      // The row is drawn once it is in the page.
      window.requestAnimationFrame(() => {
        this.#parts.thumbnails.draw({ canvas, seconds, box });
      });
    }
    return pictures;
  }
}

function keyframeMark(key: string, seconds: number, left: number) {
  const mark = document.createElement("button");
  mark.type = "button";
  mark.className = "keyframe";
  mark.dataset["keyframe"] = String(seconds);
  mark.dataset["key"] = key;
  mark.dataset["focusKey"] = `keyframe ${key} ${seconds}`;
  mark.style.left = `${left}px`;
  mark.setAttribute("aria-label", `Set position at ${shownTime(seconds)}`);
  return mark;
}

function thumbnail() {
  const canvas = document.createElement("canvas");
  canvas.className = "thumbnail";
  [canvas.width, canvas.height] = [THUMBNAIL_PX, THUMBNAIL_PX];
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}
