import type { Detection } from "./editor-state.ts";
import type { Thresholds } from "./editor-sensitivity.ts";

/**
 * Chooses which detections are drawn over the picture. Candidates that are too faint even for high sensitivity would cover the picture, so
 * they appear only on request. In a video, all candidates do. Each change dispatches the event "change".
 */
export class EditorSight extends EventTarget {
  readonly #faint: ReadonlySet<string>;
  readonly #candidates: ReadonlySet<string>;
  readonly #kept = new Set<string>();
  #peeked: ReadonlySet<string> = new Set();
  #isAll = false;
  #areCandidatesShown = false;

  /**
   * @param thresholds null if the detector does not report them; no candidate counts as faint then
   * @param options whether candidates that are not faint are drawn only on request too
   */
  constructor(
    detections: readonly Detection[],
    thresholds: Thresholds | null,
    { isMasksOnly = false }: { readonly isMasksOnly?: boolean } = {},
  ) {
    super();
    const faint = detections.filter((detection) => isFaint(detection, thresholds));
    this.#faint = new Set(faint.map(({ id }) => id));
    const open = isMasksOnly
      ? detections.filter(({ id, redacted }) => !redacted && !this.#faint.has(id))
      : [];
    this.#candidates = new Set(open.map(({ id }) => id));
  }

  /** How many candidates the switch shows, without faint ones. */
  get candidateCount() {
    return this.#candidates.size;
  }

  /** How many candidates are drawn only on request. */
  get faintCount() {
    return this.#faint.size;
  }

  isFaint(key: string) {
    return this.#faint.has(key);
  }

  /** Whether a detection is drawn even if it is not hidden. */
  isDrawn(key: string) {
    return this.isListed(key) || this.#peeked.has(key);
  }

  /** Whether a detection has a lane of its own. Unlike drawing under the pointer, this lasts. */
  isListed(key: string) {
    return !this.#isHeldBack(key) || this.#kept.has(key);
  }

  /** Whether the pointer is on a detection in the list. */
  isPeeked(key: string) {
    return this.#peeked.size === 1 && this.#peeked.has(key);
  }

  showCandidates(areShown: boolean) {
    this.#areCandidatesShown = areShown;
    this.#tell();
  }

  showAll(isAll: boolean) {
    this.#isAll = isAll;
    this.#tell();
  }

  /** Keeps detections drawn that a person selected. */
  keep(keys: Iterable<string | undefined>) {
    const { size } = this.#kept;
    for (const key of keys)
      if (key !== undefined && (this.#faint.has(key) || this.#candidates.has(key))) this.#kept.add(key);
    if (this.#kept.size > size) this.#tell();
  }

  /** Draws detections as long as the pointer is on them in the list. */
  peek(keys: readonly string[]) {
    if (keys.length === this.#peeked.size && keys.every((key) => this.#peeked.has(key))) return;
    this.#peeked = new Set(keys);
    this.#tell();
  }

  #isHeldBack(key: string) {
    if (this.#faint.has(key)) return !this.#isAll;
    return this.#candidates.has(key) && !this.#areCandidatesShown;
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}

function isFaint({ redacted, category, confidence }: Detection, thresholds: Thresholds | null) {
  if (redacted || category === null || confidence === null) return false;
  return confidence < (thresholds?.high[category] ?? 0);
}
