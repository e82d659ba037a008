import type { PixelSize } from "../../../pixels/geometry/box.ts";
import type { Box } from "./editor-geometry.ts";

const SVG = "http://www.w3.org/2000/svg";
/** Which corner or side of a region a handle moves: -1 the left or upper one, 1 the right or lower one, 0 none. */
const HANDLES = [
  [-1, -1],
  [0, -1],
  [1, -1],
  [-1, 0],
  [1, 0],
  [-1, 1],
  [0, 1],
  [1, 1],
] as const;
/** Half a handle's side, in CSS pixels. */
const HANDLE_PX = 6;

/** In fractions of the picture; an ellipse fills its box. */
export interface Shape {
  readonly shape: "ellipse" | "box" | "polygon";
  readonly box: Box;
  readonly polygon?: readonly (readonly [number, number])[];
}

/** A shape to draw: its place, its mask, and whether the pointer is on it in the list. */
interface SceneThing {
  readonly key: string;
  readonly category: string;
  readonly isHidden: boolean;
  readonly isRegion: boolean;
  readonly isDrawn: boolean;
  readonly isPeeked: boolean;
  readonly outline: Shape;
  readonly mask: Shape;
}

/** Later items are on top. */
export type Scene = readonly SceneThing[];

/** Draws detections and added regions over the picture and keeps them in step with the scene. */
export class EditorShapes {
  readonly #layer: SVGGElement;
  readonly #handles: SVGGElement;
  readonly #size: PixelSize;
  readonly #scene: () => Scene;
  readonly #nameOf: (id: string) => string;
  readonly #drawn = new Map<string, { group: SVGGElement; outline: Shape; mask: Shape }>();
  #selected: string | undefined;

  constructor({
    layer,
    size,
    scene,
    nameOf,
  }: {
    readonly layer: SVGGElement;
    /** size of the picture in pixels */
    readonly size: PixelSize;
    /** the current scene */
    readonly scene: () => Scene;
    /** the name of a shape */
    readonly nameOf: (id: string) => string;
  }) {
    this.#layer = layer;
    this.#size = size;
    this.#scene = scene;
    this.#nameOf = nameOf;
    this.#handles = document.createElementNS(SVG, "g");
    this.#handles.setAttribute("class", "handles");
    layer.append(this.#handles);
    this.show();
  }

  get selected() {
    return this.#selected;
  }

  /** @param options whether its shape gets the focus */
  select(key: string | undefined, { isFocused = true }: { readonly isFocused?: boolean } = {}) {
    const isOther = key !== this.#selected;
    this.#selected = key;
    this.show();
    if (key !== undefined && isFocused) this.#drawn.get(key)?.group.focus({ preventScroll: true });
    if (isOther) this.#layer.ownerSVGElement?.dispatchEvent(new Event("selected"));
  }

  /** Brings shapes and handles up to date with the scene. */
  show() {
    const scene = this.#scene();
    const keys = new Set(scene.map(({ key }) => key));
    for (const [key, { group }] of this.#drawn) {
      if (keys.has(key)) continue;
      group.remove();
      this.#drawn.delete(key);
    }
    for (const thing of scene) this.#showThing(thing);
    this.showHandles();
  }

  /** Handles have a constant size on the screen, so they are placed again when the zoom changes. */
  showHandles() {
    this.#handles.replaceChildren();
    const drawn = this.#selected === undefined ? undefined : this.#drawn.get(this.#selected);
    const matrix = this.#layer.ownerSVGElement?.getScreenCTM();
    if (drawn?.group.classList.contains("region") !== true || matrix === null || matrix === undefined) return;
    const half = HANDLE_PX / matrix.a;
    const { x, y, width, height } = drawn.outline.box;
    for (const [across, down] of HANDLES) {
      const handle = document.createElementNS(SVG, "rect");
      handle.dataset["across"] = String(across);
      handle.dataset["down"] = String(down);
      const left = (x + (width * (across + 1)) / 2) * this.#size.width - half;
      const top = (y + (height * (down + 1)) / 2) * this.#size.height - half;
      setAll(handle, { x: left, y: top, width: 2 * half, height: 2 * half });
      this.#handles.append(handle);
    }
  }

  #showThing(thing: SceneThing) {
    const { key, outline, mask, isHidden, isRegion, isDrawn, isPeeked } = thing;
    let drawn = this.#drawn.get(key);
    if (drawn === undefined) {
      drawn = { group: this.#addGroup(thing), outline, mask };
      drawn.group.append(this.#element(mask, "mask"), this.#element(outline, "outline"));
      this.#drawn.set(key, drawn);
    } else if (drawn.outline !== outline || drawn.mask !== mask) {
      this.#redraw(drawn, { outline, mask });
    }
    const { group } = drawn;
    if (!isRegion) group.setAttribute("aria-checked", String(isHidden));
    group.classList.toggle("hidden-thing", isHidden);
    group.classList.toggle("undrawn", !isDrawn);
    group.classList.toggle("peeked", isPeeked);
    group.classList.toggle("selected", key === this.#selected);
  }

  #addGroup({ key, category, isRegion }: SceneThing) {
    const group = document.createElementNS(SVG, "g");
    const title = document.createElementNS(SVG, "title");
    const name = this.#nameOf(key);
    title.textContent = name;
    group.append(title);
    group.dataset["key"] = key;
    group.dataset["category"] = category;
    setAll(group, { tabindex: 0, role: isRegion ? "img" : "checkbox", "aria-label": name });
    group.classList.add("thing");
    group.classList.toggle("region", isRegion);
    this.#layer.insertBefore(group, this.#handles);
    return group;
  }

  #redraw(
    drawn: { group: SVGGElement; outline: Shape; mask: Shape },
    shapes: { outline: Shape; mask: Shape },
  ) {
    for (const name of ["mask", "outline"] as const) {
      const element = drawn.group.querySelector(`.${name}`);
      if (element === null) continue;
      if (drawn[name].shape === shapes[name].shape) setAll(element, this.#placeOf(shapes[name]));
      else element.replaceWith(this.#element(shapes[name], name));
    }
    Object.assign(drawn, shapes);
  }

  #element(shape: Shape, name: "mask" | "outline") {
    const tag = { box: "rect", ellipse: "ellipse", polygon: "polygon" }[shape.shape];
    const element = document.createElementNS(SVG, tag);
    setAll(element, { class: name, ...this.#placeOf(shape) });
    return element;
  }

  #placeOf({ shape, box, polygon = [] }: Shape): Record<string, string | number> {
    const { width, height } = this.#size;
    if (shape === "polygon")
      return { points: polygon.map(([x, y]) => `${x * width},${y * height}`).join(" ") };
    const place = { x: box.x * width, y: box.y * height, width: box.width * width };
    const down = box.height * height;
    if (shape === "box") return { ...place, height: down };
    return { cx: place.x + place.width / 2, cy: place.y + down / 2, rx: place.width / 2, ry: down / 2 };
  }
}

function setAll(element: Element, attributes: Readonly<Record<string, string | number>>) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}
