import { ellipseRegion, boxRegion } from "./editor-regions.js";
import { EditorSteps } from "./editor-steps.js";

/** @import { Box } from "./editor-geometry.js" */
/**
 * @typedef {{ readonly time_seconds: number, readonly box: Box }} Keyframe
 * @typedef {{ readonly id: string, readonly category: string | null, readonly confidence: number | null, readonly redacted: boolean,
 *   readonly reason?: { readonly code: string, readonly text: string }, readonly box: Box, readonly polygon?: readonly (readonly [number, number])[], readonly start_seconds?: number,
 *   readonly end_seconds?: number, readonly keyframes?: readonly Keyframe[] }} Detection
 * @typedef {{ readonly startSeconds: number, readonly endSeconds: number, readonly keyframes: readonly Keyframe[],
 *   readonly category?: string | null, readonly from?: string, readonly isBridge?: boolean }} Track When and where a region of a video is:
 *   a part of the detection `from`, or a bridge from there to another.
 * @typedef {{ readonly key: string, readonly kind: "box" | "ellipse", readonly box: Box, readonly track?: Track }} Region A place that
 *   a person added.
 * @typedef {{ readonly hidden: ReadonlySet<string>, readonly regions: readonly Region[], readonly links?: ReadonlyMap<string, string>,
 *   readonly isMuted?: boolean, readonly muted?: readonly MutedRange[], readonly reasons?: ReadonlyMap<string, string | null>,
 *   readonly arePrinted?: boolean }} Draft What would be hidden. Of videos `links` leads from what was merged to what it was merged with.
 *   `reasons` has the codes that a person chose for masks by their keys, null for none.
 */

/**
 * @typedef {{ readonly startSeconds: number, readonly endSeconds: number, readonly sound: "silence" | "tone",
 *   readonly isSpeech: boolean, readonly isOn: boolean }} MutedRange Found speech, or a range that a person mutes.
 */

/**
 * @typedef {{ readonly list: readonly { readonly code: string, readonly text: string }[],
 *   readonly defaults: Readonly<Record<string, string>>, readonly isPrinted: boolean }} Reasons The reasons of the team, and whether masks
 *   show them now.
 */

/**
 * What would be hidden of a picture, as a person corrects it.
 *
 * @extends {EditorSteps<Draft>}
 */
export class EditorState extends EditorSteps {
  #nextKey = 1;
  #reasons;
  #byId;

  /**
   * @param {readonly Detection[]} detections
   * @param {Reasons} [reasons]
   */
  constructor(detections, reasons = { list: [], defaults: {}, isPrinted: false }) {
    const hidden = new Set(detections.filter(({ redacted }) => redacted).map(({ id }) => id));
    super({ hidden, regions: [] });
    this.detections = detections;
    this.#reasons = reasons;
    this.#byId = new Map(detections.map((detection) => [detection.id, detection]));
  }

  /** Whether the draft differs from what is hidden now. */
  get isChanged() {
    const { hidden, regions, reasons } = this.draft;
    return (
      regions.length > 0 ||
      this.detections.some(({ id, redacted }) => hidden.has(id) !== redacted) ||
      [...(reasons?.keys() ?? [])].some((key) => this.isMask(key)) ||
      this.arePrinted !== this.#reasons.isPrinted
    );
  }

  /** Whether masks that are large enough show their codes. */
  get arePrinted() {
    return this.draft.arePrinted ?? this.#reasons.isPrinted;
  }

  /** @param {boolean} arePrinted */
  printReasons(arePrinted) {
    this.change({ arePrinted });
  }

  /**
   * Whether something is hidden: a detection, or a region that a person added.
   *
   * @param {string} key
   */
  isMask(key) {
    return this.draft.hidden.has(key) || this.regionOf(key) !== undefined;
  }

  /**
   * The code of a mask: the one that a person chose, the one that it has, or that of its category; null or undefined if it has none.
   *
   * @param {string} key
   * @returns {string | null | undefined}
   */
  reasonOf(key) {
    const chosen = this.draft.reasons?.get(key);
    return chosen === undefined ? this.#reasonBefore(key) : chosen;
  }

  /**
   * @param {string} key
   * @param {string | null} code null for none
   */
  giveReason(key, code) {
    const reasons = new Map(this.draft.reasons);
    if (code === (this.#reasonBefore(key) ?? null)) reasons.delete(key);
    else reasons.set(key, code);
    this.change({ reasons });
  }

  /**
   * The code of a mask without what a person chose for it. A part of a detection has that of the detection.
   *
   * @param {string} key
   * @returns {string | null | undefined}
   */
  #reasonBefore(key) {
    const region = this.regionOf(key);
    const from = region?.track?.from;
    if (region !== undefined && from !== undefined && from !== key) return this.reasonOf(from);
    const detection = this.#byId.get(key);
    const category = detection?.category ?? region?.track?.category;
    return detection?.reason?.code ?? (category ? this.#reasons.defaults[category] : undefined);
  }

  /** What a revision says of reasons. */
  reasonsOfRevision() {
    const { hidden, reasons } = this.draft;
    const chosen = [...(reasons ?? [])].filter(([key]) => hidden.has(key));
    return {
      ...(chosen.length > 0 && { reasons: Object.fromEntries(chosen) }),
      ...(this.arePrinted !== this.#reasons.isPrinted && { burn_in_reasons: this.arePrinted }),
    };
  }

  /**
   * What a revision says of the reason of a region that a person added.
   *
   * @param {string} key
   */
  reasonOfRegion(key) {
    const reason = this.reasonOf(key);
    return reason === undefined ? {} : { reason };
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
   * @returns {{ redact: string[], regions: object[], audio?: string, mute_ranges?: object[], reasons?: object, burn_in_reasons?: boolean }}
   */
  revision() {
    const { hidden, regions } = this.draft;
    return {
      redact: [...hidden],
      regions: regions.map(({ key, kind, box }) => {
        const place = kind === "box" ? { box: boxRegion(box) } : { polygon: ellipseRegion(box) };
        return Object.assign(place, this.reasonOfRegion(key));
      }),
      ...this.reasonsOfRevision(),
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
