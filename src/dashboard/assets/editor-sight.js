/** @import { Detection } from "./editor-state.js" */
/** @import { Thresholds } from "./editor-sensitivity.js" */

/**
 * What of all that was found is drawn over the picture. Candidates too faint even for high sensitivity would bury it: they are drawn once
 * a person asks for them. In a video, so are all other candidates. It tells of each change by the event "change".
 */
export class EditorSight extends EventTarget {
  /** @type {ReadonlySet<string>} */
  #faint;
  /** @type {ReadonlySet<string>} */
  #candidates;
  /** @type {Set<string>} */
  #kept = new Set();
  /** @type {ReadonlySet<string>} */
  #peeked = new Set();
  #isAll = false;
  #areCandidatesShown = false;

  /**
   * @param {readonly Detection[]} detections
   * @param {Thresholds | null} thresholds null where the detector does not say them: then nothing is known to be faint
   * @param {{ readonly isMasksOnly?: boolean }} [options] whether candidates that are not faint are drawn only on request too
   */
  constructor(detections, thresholds, { isMasksOnly = false } = {}) {
    super();
    const faint = detections.filter((detection) => isFaint(detection, thresholds));
    this.#faint = new Set(faint.map(({ id }) => id));
    const open = isMasksOnly
      ? detections.filter(({ id, redacted }) => !redacted && !this.#faint.has(id))
      : [];
    this.#candidates = new Set(open.map(({ id }) => id));
  }

  /** How many candidates the switch shows, faint ones not counted. */
  get candidateCount() {
    return this.#candidates.size;
  }

  /** How many candidates are drawn only when they are asked for. */
  get faintCount() {
    return this.#faint.size;
  }

  /** @param {string} key */
  isFaint(key) {
    return this.#faint.has(key);
  }

  /**
   * Whether something is drawn even where it is not hidden.
   *
   * @param {string} key
   */
  isDrawn(key) {
    return this.isListed(key) || this.#peeked.has(key);
  }

  /**
   * Whether something has a lane of its own: other than a glance, that lasts.
   *
   * @param {string} key
   */
  isListed(key) {
    return !this.#isHeldBack(key) || this.#kept.has(key);
  }

  /**
   * Whether a person points at something in the list.
   *
   * @param {string} key
   */
  isPeeked(key) {
    return this.#peeked.size === 1 && this.#peeked.has(key);
  }

  /** @param {boolean} areShown */
  showCandidates(areShown) {
    this.#areCandidatesShown = areShown;
    this.#tell();
  }

  /** @param {boolean} isAll */
  showAll(isAll) {
    this.#isAll = isAll;
    this.#tell();
  }

  /**
   * What a person has chosen stays drawn.
   *
   * @param {Iterable<string | undefined>} keys
   */
  keep(keys) {
    const { size } = this.#kept;
    for (const key of keys)
      if (key !== undefined && (this.#faint.has(key) || this.#candidates.has(key))) this.#kept.add(key);
    if (this.#kept.size > size) this.#tell();
  }

  /**
   * Draws things for as long as a person points at them in the list.
   *
   * @param {readonly string[]} keys
   */
  peek(keys) {
    if (keys.length === this.#peeked.size && keys.every((key) => this.#peeked.has(key))) return;
    this.#peeked = new Set(keys);
    this.#tell();
  }

  /** @param {string} key */
  #isHeldBack(key) {
    if (this.#faint.has(key)) return !this.#isAll;
    return this.#candidates.has(key) && !this.#areCandidatesShown;
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}

/**
 * @param {Detection} detection
 * @param {Thresholds | null} thresholds
 */
function isFaint({ redacted, category, confidence }, thresholds) {
  if (redacted || category === null || confidence === null) return false;
  return confidence < (thresholds?.high[category] ?? 0);
}
