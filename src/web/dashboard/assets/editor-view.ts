import { clampFraction } from "../../../pixels/geometry/fractions.ts";
import type { Box, Point } from "./editor-geometry.ts";
import type { PixelSize } from "../../../pixels/geometry/box.ts";

/** The width of a picture's pixel at the largest zoom, in CSS pixels. */
const MOST_PIXEL_SIZE = 16;
const STEP = 1.25;
/** The share of the view's width or height that a place takes after `goTo`. */
const PLACE_SHARE = 0.25;

/** The visible part of the picture, and its scale. */
export class EditorView {
  readonly #svg: SVGSVGElement;
  readonly #size: PixelSize;
  #zoom = 1;
  #center = { x: 0.5, y: 0.5 };

  /**
   * @param svg Its user units are pixels of the picture.
   * @param size of the picture, in pixels
   */
  constructor(svg: SVGSVGElement, size: PixelSize) {
    this.#svg = svg;
    this.#size = size;
    new ResizeObserver(() => {
      this.#show();
    }).observe(svg);
  }

  /** The zoom factor; 1 shows the whole picture. */
  get zoom() {
    return this.#zoom;
  }

  /** The center of the visible part, as fractions of the picture. */
  get center() {
    return this.#center;
  }

  /** CSS pixels per pixel of the picture. */
  get scale() {
    return (this.#svg.clientWidth / this.#size.width) * this.#zoom;
  }

  /** @returns the place under a pointer as fractions of the picture */
  pointAt({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Point {
    const matrix = this.#svg.getScreenCTM();
    if (matrix === null) return { x: 0, y: 0 };
    const point = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    return { x: clampFraction(point.x / this.#size.width), y: clampFraction(point.y / this.#size.height) };
  }

  /** @param around the point that stays in place */
  zoomIn(around?: Point) {
    this.zoomTo(this.#zoom * STEP, around);
  }

  zoomOut(around?: Point) {
    this.zoomTo(this.#zoom / STEP, around);
  }

  fit() {
    this.zoomTo(1);
  }

  zoomTo(zoom: number, around: Point = this.#center) {
    const most = Math.max(1, (MOST_PIXEL_SIZE * this.#size.width) / Math.max(1, this.#svg.clientWidth));
    const next = Math.min(most, Math.max(1, zoom));
    const kept = this.#zoom / next;
    this.#center = {
      x: around.x + (this.#center.x - around.x) * kept,
      y: around.y + (this.#center.y - around.y) * kept,
    };
    this.#zoom = next;
    this.#show();
  }

  /**
   * Zooms to a place and centers it.
   *
   * @param box in fractions of the picture
   */
  goTo({ x, y, width, height }: Box) {
    this.#center = { x: x + width / 2, y: y + height / 2 };
    this.zoomTo(PLACE_SHARE / Math.max(width, height));
  }

  /**
   * Pans the view.
   *
   * @param right in CSS pixels
   * @param down in CSS pixels
   */
  pan(right: number, down: number) {
    this.#center = {
      x: this.#center.x + right / (this.scale * this.#size.width),
      y: this.#center.y + down / (this.scale * this.#size.height),
    };
    this.#show();
  }

  #show() {
    const { width, height } = this.#size;
    const half = 1 / (2 * this.#zoom);
    this.#center = {
      x: Math.min(1 - half, Math.max(half, this.#center.x)),
      y: Math.min(1 - half, Math.max(half, this.#center.y)),
    };
    const left = (this.#center.x - half) * width;
    const top = (this.#center.y - half) * height;
    this.#svg.setAttribute("viewBox", `${left} ${top} ${width / this.#zoom} ${height / this.#zoom}`);
    this.#svg.dispatchEvent(new Event("zoomed"));
  }
}
