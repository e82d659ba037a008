/** @import { Detection, EditorState, Region } from "./editor-state.js" */

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
 * @typedef {{ readonly shape: "ellipse" | "box" | "polygon", readonly box: readonly [number, number, number, number],
 *   readonly polygon?: readonly (readonly [number, number])[] }} Mask What is painted, in fractions of the picture.
 */

/** Draws what was found and what was added over the picture, and keeps it as the state is. */
export class EditorShapes {
  #layer;
  #handles;
  #state;
  #size;
  #masks;
  #nameOf;
  /** @type {Map<string, SVGGElement>} */
  #groups = new Map();
  /** @type {string | undefined} */
  #selected;

  /**
   * @param {object} parts
   * @param {SVGGElement} parts.layer
   * @param {EditorState} parts.state
   * @param {{ readonly width: number, readonly height: number }} parts.size of the picture in pixels
   * @param {ReadonlyMap<string, Mask>} parts.masks of detections, by id
   * @param {(id: string) => string} parts.nameOf what a shape is, in words
   */
  constructor({ layer, state, size, masks, nameOf }) {
    this.#layer = layer;
    this.#state = state;
    this.#size = size;
    this.#masks = masks;
    this.#nameOf = nameOf;
    this.#handles = document.createElementNS(SVG, "g");
    this.#handles.setAttribute("class", "handles");
    // What is drawn later lies above: a small thing inside a large one can be reached.
    for (const detection of [...state.detections].sort((a, b) => areaOf(b) - areaOf(a)))
      this.#addDetection(detection);
    layer.append(this.#handles);
    this.show();
  }

  get selected() {
    return this.#selected;
  }

  /** @param {string | undefined} key */
  select(key) {
    this.#selected = key;
    this.show();
    if (key !== undefined) this.#groups.get(key)?.focus({ preventScroll: true });
  }

  /** @param {string} key */
  focus(key) {
    this.#groups.get(key)?.focus();
  }

  /** Brings shapes and handles up to date with the state. */
  show() {
    const { hidden, regions } = this.#state.draft;
    for (const { id } of this.#state.detections) {
      const group = this.#groups.get(id);
      group?.setAttribute("aria-checked", String(hidden.has(id)));
      group?.classList.toggle("hidden-thing", hidden.has(id));
    }
    const kept = new Set(regions.map(({ key }) => key));
    for (const [key, group] of this.#groups) {
      if (!key.startsWith("region-") || kept.has(key)) continue;
      group.remove();
      this.#groups.delete(key);
    }
    for (const region of regions) this.#showRegion(region);
    if (this.#selected !== undefined && !this.#groups.has(this.#selected)) this.#selected = undefined;
    for (const [key, group] of this.#groups) group.classList.toggle("selected", key === this.#selected);
    this.showHandles();
  }

  /** Handles keep their size on the screen, so they are placed anew when the zoom changes. */
  showHandles() {
    this.#handles.replaceChildren();
    const region = this.#state.draft.regions.find(({ key }) => key === this.#selected);
    const matrix = this.#layer.ownerSVGElement?.getScreenCTM();
    if (region === undefined || matrix === null || matrix === undefined) return;
    const half = HANDLE_PX / matrix.a;
    const { x, y, width, height } = region.box;
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

  /** @param {Detection} detection */
  #addDetection({ id, category, box, polygon }) {
    const group = this.#addGroup(id, category ?? "none");
    const outline = polygon === undefined ? this.#rect(box) : this.#polygon(polygon);
    outline.setAttribute("class", "outline");
    const mask = this.#maskOf(this.#masks.get(id)) ?? outline.cloneNode();
    if (mask instanceof SVGElement) mask.setAttribute("class", "mask");
    group.append(mask, outline);
  }

  /** @param {Region} region */
  #showRegion({ key, kind, box }) {
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = this.#addGroup(key, "added");
      group.classList.add("hidden-thing", "region");
      for (const name of ["mask", "outline"]) {
        const shape = document.createElementNS(SVG, kind === "box" ? "rect" : "ellipse");
        shape.setAttribute("class", name);
        group.append(shape);
      }
    }
    for (const shape of group.querySelectorAll("rect, ellipse")) setAll(shape, this.#placeOf(kind, box));
  }

  /**
   * @param {string} key
   * @param {string} category
   */
  #addGroup(key, category) {
    const group = document.createElementNS(SVG, "g");
    const title = document.createElementNS(SVG, "title");
    const name = this.#nameOf(key);
    title.textContent = name;
    group.append(title);
    group.dataset["key"] = key;
    group.dataset["category"] = category;
    setAll(group, { tabindex: 0, role: key.startsWith("region-") ? "img" : "checkbox", "aria-label": name });
    group.classList.add("thing");
    this.#groups.set(key, group);
    this.#layer.insertBefore(group, this.#handles.isConnected ? this.#handles : null);
    return group;
  }

  /** @param {Mask | undefined} mask */
  #maskOf(mask) {
    if (mask === undefined) return undefined;
    if (mask.shape === "polygon" && mask.polygon !== undefined) return this.#polygon(mask.polygon);
    const [x, y, width, height] = mask.box;
    const box = { x, y, width, height };
    if (mask.shape === "box") return this.#rect(box);
    const ellipse = document.createElementNS(SVG, "ellipse");
    setAll(ellipse, this.#placeOf("ellipse", box));
    return ellipse;
  }

  /** @param {Region["box"]} box */
  #rect(box) {
    const rect = document.createElementNS(SVG, "rect");
    setAll(rect, this.#placeOf("box", box));
    return rect;
  }

  /** @param {readonly (readonly [number, number])[]} corners */
  #polygon(corners) {
    const polygon = document.createElementNS(SVG, "polygon");
    const points = corners.map(([x, y]) => `${x * this.#size.width},${y * this.#size.height}`);
    polygon.setAttribute("points", points.join(" "));
    return polygon;
  }

  /**
   * @param {Region["kind"]} kind
   * @param {Region["box"]} box
   */
  #placeOf(kind, { x, y, width, height }) {
    const place = { x: x * this.#size.width, y: y * this.#size.height, width: width * this.#size.width };
    const down = height * this.#size.height;
    if (kind === "box") return { ...place, height: down };
    return { cx: place.x + place.width / 2, cy: place.y + down / 2, rx: place.width / 2, ry: down / 2 };
  }
}

/** @param {Detection} detection */
function areaOf({ box }) {
  return box.width * box.height;
}

/**
 * @param {Element} element
 * @param {Readonly<Record<string, string | number>>} attributes
 */
function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}
