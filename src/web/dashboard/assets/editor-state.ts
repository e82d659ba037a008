import { ellipseRegion, boxRegion } from "./editor-regions.ts";
import { EditorSteps } from "./editor-steps.ts";
import type { Box } from "./editor-geometry.ts";

export interface Keyframe {
  readonly time_seconds: number;
  readonly box: Box;
}

export interface Detection {
  readonly id: string;
  readonly category: string | null;
  readonly confidence: number | null;
  readonly redacted: boolean;
  readonly reason?: { readonly code: string; readonly text: string };
  readonly box: Box;
  readonly polygon?: readonly (readonly [number, number])[];
  readonly start_seconds?: number;
  readonly end_seconds?: number;
  readonly keyframes?: readonly Keyframe[];
}

/** The times and positions of a video's region: a part of the detection `from`, or a bridge from it to another. */
export interface Track {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly keyframes: readonly Keyframe[];
  readonly category?: string | null;
  readonly from?: string;
  readonly isBridge?: boolean;
}

/** A region that a person added. */
export interface Region {
  readonly key: string;
  readonly kind: "box" | "ellipse";
  readonly box: Box;
  readonly track?: Track;
}

/**
 * What would be hidden. In videos, `links` maps each merged item to the one it was merged with. `reasons` has the codes that a person
 * chose for masks, by key; null for none.
 */
export interface Draft {
  readonly hidden: ReadonlySet<string>;
  readonly regions: readonly Region[];
  readonly links?: ReadonlyMap<string, string>;
  readonly isMuted?: boolean;
  readonly muted?: readonly MutedRange[];
  readonly reasons?: ReadonlyMap<string, string | null>;
  readonly arePrinted?: boolean;
}

/** Found speech, or a range that a person mutes. */
export interface MutedRange {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly sound: "silence" | "tone";
  readonly isSpeech: boolean;
  readonly isOn: boolean;
}

/** The reasons of the team, and whether masks show them now. */
export interface Reasons {
  readonly list: readonly { readonly code: string; readonly text: string }[];
  readonly defaults: Readonly<Record<string, string>>;
  readonly isPrinted: boolean;
}

/** What would be hidden in a picture while a person corrects it. */
export class EditorState extends EditorSteps<Draft> {
  readonly detections: readonly Detection[];
  #nextKey = 1;
  readonly #reasons: Reasons;
  readonly #byId: Map<string, Detection>;

  constructor(
    detections: readonly Detection[],
    reasons: Reasons = { list: [], defaults: {}, isPrinted: false },
  ) {
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

  printReasons(arePrinted: boolean) {
    this.change({ arePrinted });
  }

  /** Whether something is hidden: a detection, or a region that a person added. */
  isMask(key: string) {
    return this.draft.hidden.has(key) || this.regionOf(key) !== undefined;
  }

  /** The code of a mask: the one that a person chose, the one that it has, or that of its category; null or undefined if it has none. */
  reasonOf(key: string): string | null | undefined {
    const chosen = this.draft.reasons?.get(key);
    return chosen === undefined ? this.#reasonBefore(key) : chosen;
  }

  /** @param code null for none */
  giveReason(key: string, code: string | null) {
    const reasons = new Map(this.draft.reasons);
    if (code === (this.#reasonBefore(key) ?? null)) reasons.delete(key);
    else reasons.set(key, code);
    this.change({ reasons });
  }

  /** The code of a mask before a person chose one. A part of a detection has the detection's code. */
  #reasonBefore(key: string): string | null | undefined {
    const region = this.regionOf(key);
    const from = region?.track?.from;
    if (region !== undefined && from !== undefined && from !== key) return this.reasonOf(from);
    const detection = this.#byId.get(key);
    const category = detection?.category ?? region?.track?.category;
    return detection?.reason?.code ?? (category ? this.#reasons.defaults[category] : undefined);
  }

  /** The reasons for a revision's request. */
  reasonsOfRevision() {
    const { hidden, reasons } = this.draft;
    const chosen = [...(reasons ?? [])].filter(([key]) => hidden.has(key));
    return {
      ...(chosen.length > 0 && { reasons: Object.fromEntries(chosen) }),
      ...(this.arePrinted !== this.#reasons.isPrinted && { burn_in_reasons: this.arePrinted }),
    };
  }

  /** The reason of an added region for a revision's request. */
  reasonOfRegion(key: string) {
    const reason = this.reasonOf(key);
    return reason === undefined ? {} : { reason };
  }

  setHidden(ids: Iterable<string>, isHidden: boolean) {
    const hidden = new Set(this.draft.hidden);
    for (const id of ids) {
      if (isHidden) hidden.add(id);
      else hidden.delete(id);
    }
    this.change({ hidden });
  }

  toggle(id: string) {
    this.setHidden([id], !this.draft.hidden.has(id));
  }

  /** A key for a new region. */
  newKey() {
    return `region-${this.#nextKey++}`;
  }

  /** @returns the key of the new region */
  addRegion(kind: Region["kind"], box: Box): string {
    const key = this.newKey();
    this.change({ regions: [...this.draft.regions, { key, kind, box }] });
    return key;
  }

  regionOf(key: string) {
    return this.draft.regions.find((region) => region.key === key);
  }

  /** The box of a region; undefined if there is no such region. */
  boxOf(key: string): Box | undefined {
    return this.regionOf(key)?.box;
  }

  placeRegion(key: string, box: Box) {
    const regions = this.draft.regions.map((region) => (region.key === key ? { ...region, box } : region));
    this.change({ regions });
  }

  removeRegion(key: string) {
    this.change({ regions: this.draft.regions.filter((region) => region.key !== key) });
  }

  /** The body of the request that creates a revision from this draft. */
  revision(): {
    redact: string[];
    regions: object[];
    audio?: string;
    mute_ranges?: object[];
    reasons?: object;
    burn_in_reasons?: boolean;
  } {
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

/** Detections by category, most confident first. */
export function byCategory<T extends Detection>(detections: readonly T[]): Map<string | null, T[]> {
  const groups = new Map<string | null, T[]>();
  for (const detection of [...detections].sort((a, b) => (b.confidence ?? 1) - (a.confidence ?? 1))) {
    const group = groups.get(detection.category);
    if (group === undefined) groups.set(detection.category, [detection]);
    else group.push(detection);
  }
  return groups;
}
