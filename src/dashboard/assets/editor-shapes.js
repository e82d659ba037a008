/** @import { Box } from "./editor-geometry.js" */

const SVG = "http://www.w3.org/2000/svg";
/** Which corner or side of a region a handle moves: -1 the left or upper one, 1 the right or lower one, 0 none. */
const HANDLES = /** @type {const} */ ([
  [-1, -1],
  [0, -1],
  [1, -1],
  [-1, 0],
  [1, 0],
  [-1, 1],
  [0, 1],
  [1, 1],
]);
/** Half a handle's side, in CSS pixels. */
const HANDLE_PX = 6;

/**
 * @typedef {{ readonly shape: "ellipse" | "box" | "polygon", readonly box: Box,
 *   readonly polygon?: readonly (readonly [number, number])[] }} Shape In fractions of the picture; an ellipse fills its box.
 * @typedef {{ readonly key: string, readonly category: string, readonly isHidden: boolean, readonly isRegion: boolean,
 *   readonly isDrawn: boolean, readonly isPeeked: boolean, readonly outline: Shape, readonly mask: Shape }} SceneThing One thing to be
 *   drawn: where it is, what is painted over it, and whether it is pointed at from elsewhere.
 * @typedef {readonly SceneThing[]} Scene Later ones lie above.
 */

/** Draws what was found and what was added over the picture, and keeps it as the scene is. */
export class EditorShapes {
  #layer;
  #handles;
  #size;
  #scene;
  #nameOf;
  /** @type {Map<string, { group: SVGGElement, outline: Shape, mask: Shape }>} */
  #drawn = new Map();
  /** @type {string | undefined} */
  #selected;

  /**
   * @param {object} parts
   * @param {SVGGElement} parts.layer
   * @param {{ readonly width: number, readonly height: number }} parts.size of the picture in pixels
   * @param {() => Scene} parts.scene what is to be seen now
   * @param {(id: string) => string} parts.nameOf what a shape is, in words
   */
  constructor({ layer, size, scene, nameOf }) {
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

  /**
   * @param {string | undefined} key
   * @param {{ readonly isFocused?: boolean }} [options] whether the focus goes to its shape
   */
  select(key, { isFocused = true } = {}) {
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

  /** Handles keep their size on the screen, so they are placed anew when the zoom changes. */
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

  /** @param {SceneThing} thing */
  #showThing(thing) {
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

  /** @param {SceneThing} thing */
  #addGroup({ key, category, isRegion }) {
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

  /**
   * @param {{ group: SVGGElement, outline: Shape, mask: Shape }} drawn
   * @param {{ outline: Shape, mask: Shape }} shapes
   */
  #redraw(drawn, shapes) {
    for (const name of /** @type {const} */ (["mask", "outline"])) {
      const element = drawn.group.querySelector(`.${name}`);
      if (element === null) continue;
      if (drawn[name].shape === shapes[name].shape) setAll(element, this.#placeOf(shapes[name]));
      else element.replaceWith(this.#element(shapes[name], name));
    }
    Object.assign(drawn, shapes);
  }

  /**
   * @param {Shape} shape
   * @param {"mask" | "outline"} name
   */
  #element(shape, name) {
    const tag = { box: "rect", ellipse: "ellipse", polygon: "polygon" }[shape.shape];
    const element = document.createElementNS(SVG, tag);
    setAll(element, { class: name, ...this.#placeOf(shape) });
    return element;
  }

  /**
   * @param {Shape} shape
   * @returns {Record<string, string | number>}
   */
  #placeOf({ shape, box, polygon = [] }) {
    const { width, height } = this.#size;
    if (shape === "polygon")
      return { points: polygon.map(([x, y]) => `${x * width},${y * height}`).join(" ") };
    const place = { x: box.x * width, y: box.y * height, width: box.width * width };
    const down = box.height * height;
    if (shape === "box") return { ...place, height: down };
    return { cx: place.x + place.width / 2, cy: place.y + down / 2, rx: place.width / 2, ry: down / 2 };
  }
}

/**
 * @param {Element} element
 * @param {Readonly<Record<string, string | number>>} attributes
 */
function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}
