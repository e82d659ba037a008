import { ellipseRegion, boxRegion } from "./editor-regions.js";
import { EditorSteps } from "./editor-steps.js";

/** @import { Box } from "./editor-geometry.js" */
/**
 * @typedef {{ readonly time_seconds: number, readonly box: Box }} Keyframe
 * @typedef {{ readonly id: string, readonly category: string | null, readonly confidence: number | null, readonly redacted: boolean,
 *   readonly box: Box, readonly polygon?: readonly (readonly [number, number])[], readonly start_seconds?: number,
 *   readonly end_seconds?: number, readonly keyframes?: readonly Keyframe[] }} Detection
 * @typedef {{ readonly startSeconds: number, readonly endSeconds: number, readonly keyframes: readonly Keyframe[],
 *   readonly category?: string | null, readonly from?: string, readonly isBridge?: boolean }} Track When and where a region of a video is:
 *   a part of the detection `from`, or a bridge from there to another.
 * @typedef {{ readonly key: string, readonly kind: "box" | "ellipse", readonly box: Box, readonly track?: Track }} Region A place that
 *   a person added.
 * @typedef {{ readonly hidden: ReadonlySet<string>, readonly regions: readonly Region[], readonly links?: ReadonlyMap<string, string>,
 *   readonly isMuted?: boolean }} Draft What would be hidden. Of videos `links` leads from what was merged to what it was merged with.
 */

/**
 * What would be hidden of a picture, as a person corrects it.
 *
 * @extends {EditorSteps<Draft>}
 */
export class EditorState extends EditorSteps {
  #nextKey = 1;

  /** @param {readonly Detection[]} detections */
  constructor(detections) {
    const hidden = new Set(detections.filter(({ redacted }) => redacted).map(({ id }) => id));
    super({ hidden, regions: [] });
    this.detections = detections;
  }

  /** Whether the draft differs from what is hidden now. */
  get isChanged() {
    const { hidden, regions } = this.draft;
    return regions.length > 0 || this.detections.some(({ id, redacted }) => hidden.has(id) !== redacted);
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
    this.change({ hidden });
  }

  /** @param {string} id */
  toggle(id) {
    this.setHidden([id], !this.draft.hidden.has(id));
  }

  /** Names a region that is about to be added. */
  newKey() {
    return `region-${this.#nextKey++}`;
  }

  /**
   * @param {Region["kind"]} kind
   * @param {Box} box
   * @returns {string} the key of the new region
   */
  addRegion(kind, box) {
    const key = this.newKey();
    this.change({ regions: [...this.draft.regions, { key, kind, box }] });
    return key;
  }

  /** @param {string} key */
  regionOf(key) {
    return this.draft.regions.find((region) => region.key === key);
  }

  /**
   * Where a region is; undefined where there is no such region.
   *
   * @param {string} key
   * @returns {Box | undefined}
   */
  boxOf(key) {
    return this.regionOf(key)?.box;
  }

  /**
   * @param {string} key
   * @param {Box} box
   */
  placeRegion(key, box) {
    const regions = this.draft.regions.map((region) => (region.key === key ? { ...region, box } : region));
    this.change({ regions });
  }

  /** @param {string} key */
  removeRegion(key) {
    this.change({ regions: this.draft.regions.filter((region) => region.key !== key) });
  }

  /**
   * The body of the request that makes a revision of this draft.
   *
   * @returns {{ redact: string[], regions: object[], audio?: string }}
   */
  revision() {
    const { hidden, regions } = this.draft;
    return {
      redact: [...hidden],
      regions: regions.map(({ kind, box }) =>
        kind === "box" ? { box: boxRegion(box) } : { polygon: ellipseRegion(box) },
      ),
    };
  }
}

/**
 * Things by category, the surest first.
 *
 * @template {Detection} T
 * @param {readonly T[]} detections
 * @returns {Map<string | null, T[]>}
 */
export function byCategory(detections) {
  /** @type {Map<string | null, T[]>} */
  const groups = new Map();
  for (const detection of [...detections].sort((a, b) => (b.confidence ?? 1) - (a.confidence ?? 1))) {
    const group = groups.get(detection.category);
    if (group === undefined) groups.set(detection.category, [detection]);
    else group.push(detection);
  }
  return groups;
}
