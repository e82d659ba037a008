/**
 * @typedef {{ readonly x: number, readonly y: number, readonly width: number, readonly height: number }} Box Fractions 0…1 of the picture.
 * @typedef {{ readonly id: string, readonly category: string | null, readonly confidence: number | null, readonly redacted: boolean,
 *   readonly box: Box, readonly polygon?: readonly (readonly [number, number])[] }} Detection
 * @typedef {{ readonly key: string, readonly kind: "box" | "ellipse", readonly box: Box }} Region A place that a person added.
 * @typedef {{ readonly hidden: ReadonlySet<string>, readonly regions: readonly Region[] }} Draft What would be hidden.
 */

/** Corners of the polygon that an ellipse is sent as; a region takes 3 to 64. */
const ELLIPSE_CORNERS = 48;
const DECIMALS = 1e5;

/** What a person has changed so far, with every step back and forth. */
export class EditorState extends EventTarget {
  /** @type {Draft[]} */
  #steps;
  #at = 0;
  #nextKey = 1;
  #isGesture = false;

  /** @param {readonly Detection[]} detections */
  constructor(detections) {
    super();
    this.detections = detections;
    const hidden = new Set(detections.filter(({ redacted }) => redacted).map(({ id }) => id));
    this.#steps = [{ hidden, regions: [] }];
  }

  /** @returns {Draft} */
  get draft() {
    const step = this.#steps[this.#at];
    if (step === undefined) throw new Error("There is no such step.");
    return step;
  }

  get canUndo() {
    return this.#at > 0;
  }

  get canRedo() {
    return this.#at < this.#steps.length - 1;
  }

  /** Whether the draft differs from what is hidden now. */
  get isChanged() {
    const { hidden, regions } = this.draft;
    return regions.length > 0 || this.detections.some(({ id, redacted }) => hidden.has(id) !== redacted);
  }

  undo() {
    if (this.canUndo) this.#at -= 1;
    this.#tell();
  }

  redo() {
    if (this.canRedo) this.#at += 1;
    this.#tell();
  }

  /** What follows until {@link endGesture} is one step: a drag is undone as a whole. */
  beginGesture() {
    this.#push(this.draft);
    this.#isGesture = true;
  }

  endGesture() {
    this.#isGesture = false;
    const [before, after] = [this.#steps[this.#at - 1], this.#steps[this.#at]];
    if (before === after) this.#at -= 1;
    this.#steps.length = this.#at + 1;
    this.#tell();
  }

  /**
   * @param {Iterable<string>} ids
   * @param {boolean} isHidden
   */
  setHidden(ids, isHidden) {
    const hidden = new Set(this.draft.hidden);
    for (const id of ids) {
      if (isHidden) hidden.add(id);
      else hidden.delete(id);
    }
    this.#change({ ...this.draft, hidden });
  }

  /** @param {string} id */
  toggle(id) {
    this.setHidden([id], !this.draft.hidden.has(id));
  }

  /**
   * @param {Region["kind"]} kind
   * @param {Box} box
   * @returns {string} the key of the new region
   */
  addRegion(kind, box) {
    const key = `region-${this.#nextKey++}`;
    this.#change({ ...this.draft, regions: [...this.draft.regions, { key, kind, box }] });
    return key;
  }

  /**
   * @param {string} key
   * @param {Box} box
   */
  placeRegion(key, box) {
    const regions = this.draft.regions.map((region) => (region.key === key ? { ...region, box } : region));
    this.#change({ ...this.draft, regions });
  }

  /** @param {string} key */
  removeRegion(key) {
    this.#change({ ...this.draft, regions: this.draft.regions.filter((region) => region.key !== key) });
  }

  /** The body of the request that makes a revision of this draft. */
  revision() {
    const { hidden, regions } = this.draft;
    return { redact: [...hidden], regions: regions.map(regionOf) };
  }

  /** @param {Draft} draft */
  #change(draft) {
    if (this.#isGesture) this.#steps[this.#at] = draft;
    else this.#push(draft);
    this.#tell();
  }

  /** @param {Draft} draft */
  #push(draft) {
    this.#steps.splice(this.#at + 1, Infinity, draft);
    this.#at += 1;
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}

/** @param {Region} region */
function regionOf({ kind, box }) {
  if (kind === "box") {
    const [x, y] = [Math.floor(box.x * DECIMALS), Math.floor(box.y * DECIMALS)];
    const right = Math.min(DECIMALS, Math.ceil((box.x + box.width) * DECIMALS));
    const bottom = Math.min(DECIMALS, Math.ceil((box.y + box.height) * DECIMALS));
    return {
      box: {
        x: x / DECIMALS,
        y: y / DECIMALS,
        width: (right - x) / DECIMALS,
        height: (bottom - y) / DECIMALS,
      },
    };
  }
  return { polygon: ellipseCorners(box).map((point) => point.map(rounded)) };
}

/**
 * Corners of a polygon around an ellipse that fills a box: no point of the ellipse lies outside it.
 *
 * @param {Box} box
 */
function ellipseCorners({ x, y, width, height }) {
  // The sides of the polygon touch the ellipse where it would otherwise cut it.
  const grown = 1 / Math.cos(Math.PI / ELLIPSE_CORNERS);
  return Array.from({ length: ELLIPSE_CORNERS }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / ELLIPSE_CORNERS;
    const across = x + (width / 2) * (1 + grown * Math.cos(angle));
    const down = y + (height / 2) * (1 + grown * Math.sin(angle));
    return [Math.min(1, Math.max(0, across)), Math.min(1, Math.max(0, down))];
  });
}

/** @param {number} fraction */
function rounded(fraction) {
  return Math.round(fraction * DECIMALS) / DECIMALS;
}

/**
 * Things by category, the surest first.
 *
 * @param {readonly Detection[]} detections
 * @returns {Map<string | null, Detection[]>}
 */
export function byCategory(detections) {
  /** @type {Map<string | null, Detection[]>} */
  const groups = new Map();
  for (const detection of [...detections].sort((a, b) => (b.confidence ?? 1) - (a.confidence ?? 1))) {
    const group = groups.get(detection.category);
    if (group === undefined) groups.set(detection.category, [detection]);
    else group.push(detection);
  }
  return groups;
}
