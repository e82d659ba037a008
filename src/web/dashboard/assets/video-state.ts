import { EditorState } from "./editor-state.ts";
import { bridgeBetween, leadTrack, splitTrack, toggleKeyframeAt, trackRegion } from "./video-edits.ts";
import { laneOf, lanesOf } from "./video-lanes.ts";
import { boxWithRim } from "./video-masks.ts";
import {
  MOMENT_SECONDS,
  boxAt,
  isDuring,
  keyframeAt,
  withKeyframe,
  withoutKeyframe,
} from "./video-tracks.ts";
import type { Box } from "./editor-geometry.ts";
import type { Lane } from "./video-lanes.ts";
import type { Detection, Draft, Keyframe, MutedRange, Reasons, Region, Track } from "./editor-state.ts";

/** The largest error of a detection's listed keyframes, as a share of the picture. */
const TOLD_TOLERANCE = 0.01;

/** The page's data about a video. */
interface VideoFacts {
  readonly durationSeconds: number;
  readonly isMuted?: boolean;
  readonly isSpeechMuted?: boolean;
  readonly mutedRanges?: readonly MutedRange[];
  readonly reasons?: Reasons;
}

/** The state of a video's correction: what would be hidden. */
export class VideoState extends EditorState {
  readonly #video: VideoFacts;
  readonly #now: () => number;
  readonly #maskOf: (detection: Detection, box: Box) => Box;
  readonly #wasMuted: boolean;
  readonly #wasSpeechMuted: boolean;
  readonly #mutedBefore: readonly MutedRange[];
  #known: { readonly draft: Draft; readonly lanes: Lane[] } | undefined;

  constructor(
    detections: readonly Detection[],
    {
      video,
      now,
      maskOf,
    }: {
      readonly video: VideoFacts;
      /** the time of the current frame, in seconds */
      readonly now: () => number;
      /** the bounds of a detection's mask at a place */
      readonly maskOf: (detection: Detection, box: Box) => Box;
    },
  ) {
    super(detections, video.reasons);
    this.#video = video;
    this.#now = now;
    this.#maskOf = maskOf;
    this.#wasMuted = video.isMuted === true;
    this.#wasSpeechMuted = video.isSpeechMuted === true;
    this.#mutedBefore = video.mutedRanges ?? [];
  }

  get isMuted() {
    return this.draft.isMuted ?? this.#wasMuted;
  }

  override get isChanged() {
    return super.isChanged || this.isMuted !== this.#wasMuted || this.muted !== this.#mutedBefore;
  }

  /** Found speech and the ranges that a person mutes, in time order. */
  get muted() {
    return this.draft.muted ?? this.#mutedBefore;
  }

  addMuted(range: Omit<MutedRange, "isSpeech" | "isOn">) {
    const muted = [...this.muted, { ...range, isSpeech: false, isOn: true }];
    this.change({ muted: muted.sort((a, b) => a.startSeconds - b.startSeconds) });
  }

  /** Mutes or unmutes found speech. A range that a person added is removed. */
  switchMuted(range: MutedRange) {
    const muted = this.muted.flatMap((one) => {
      if (one !== range) return [one];
      return one.isSpeech ? [{ ...one, isOn: !one.isOn }] : [];
    });
    this.change({ muted });
  }

  mute(isMuted: boolean) {
    this.change({ isMuted });
  }

  /** Hides or shows whole detections, and removes the parts that were created from them. */
  override setHidden(ids: Iterable<string>, isHidden: boolean) {
    const hidden = new Set(this.draft.hidden);
    const whole = new Set(ids);
    for (const id of whole) {
      if (isHidden) hidden.add(id);
      else hidden.delete(id);
    }
    const regions = this.draft.regions.filter(
      ({ track }) => !whole.has(track?.from ?? "") || track?.isBridge === true,
    );
    this.change({ hidden, regions });
  }

  /** Adds a mask that does not move, from the first frame to the last. */
  override addRegion(_kind: Region["kind"], box: Box) {
    const keyframes = [{ time_seconds: this.#now(), box }];
    return this.addTrack({ startSeconds: 0, endSeconds: this.#video.durationSeconds, keyframes });
  }

  /** @returns the key of the new region */
  addTrack(track: Track): string {
    const key = this.newKey();
    this.change({ regions: [...this.draft.regions, regionOf(key, track)] });
    return key;
  }

  /** The box of a region in the current frame; undefined if it is not in that frame. */
  override boxOf(key: string) {
    const track = this.regionOf(key)?.track;
    if (track === undefined || !isDuring(track, this.#now())) return undefined;
    return boxAt(track.keyframes, this.#now());
  }

  /** Places a region in the current frame. A moving region gets a keyframe there. */
  override placeRegion(key: string, box: Box) {
    const track = this.regionOf(key)?.track;
    if (track === undefined) return;
    const keyframe = { time_seconds: this.#now(), box };
    const isStatic = track.keyframes.length === 1;
    this.setTrack(key, {
      ...track,
      keyframes: isStatic ? [keyframe] : withKeyframe(track.keyframes, keyframe),
    });
  }

  setTrack(key: string, track: Track) {
    this.change({
      regions: this.draft.regions.map((region) => (region.key === key ? regionOf(key, track) : region)),
    });
  }

  /**
   * Adds a keyframe in the current frame, or removes the one there.
   *
   * @returns the key of the edited region, which replaces a detection
   */
  toggleKeyframe(key: string): string {
    return this.#edit(key, toggleKeyframeAt);
  }

  moveKeyframe(key: string, fromSeconds: number, toSeconds: number) {
    const track = this.regionOf(key)?.track;
    const moved = track && keyframeAt(track.keyframes, fromSeconds);
    if (track === undefined || moved === undefined) return;
    const rest = withoutKeyframe(track.keyframes, fromSeconds);
    this.setTrack(key, { ...track, keyframes: withKeyframe(rest, { ...moved, time_seconds: toSeconds }) });
  }

  /**
   * Makes a track begin or end with the frame at a time.
   *
   * @returns the key of the edited region, which replaces a detection
   */
  trim(key: string, side: "start" | "end", seconds: number): string {
    return this.#edit(key, (track) => {
      const { startSeconds, endSeconds } = track;
      return side === "start"
        ? { ...track, startSeconds: Math.min(seconds, endSeconds) }
        : { ...track, endSeconds: Math.max(seconds, startSeconds) };
    });
  }

  /**
   * Splits a track in two. The second part begins with the frame at a time.
   *
   * @returns the key of the second part, or of the whole if there is nothing to split
   */
  split(key: string, seconds: number): string {
    const track = this.trackOf(key);
    if (track === undefined || seconds <= track.startSeconds + MOMENT_SECONDS || !isDuring(track, seconds))
      return key;
    const [before, after] = splitTrack(track, seconds);
    const [first, second] = [this.newKey(), this.newKey()];
    this.#replace(key, [regionOf(first, before), regionOf(second, after)]);
    return second;
  }

  /** Merges two tracks: both are hidden, and so is the time between them. */
  merge(one: string, other: string) {
    const [a, b] = [this.trackOf(one), this.trackOf(other)];
    if (a === undefined || b === undefined) return;
    const [[first, before], [second, after]] =
      a.startSeconds <= b.startSeconds
        ? ([
            [one, a],
            [other, b],
          ] as const)
        : ([
            [other, b],
            [one, a],
          ] as const);
    const links = new Map(this.draft.links);
    const [root, otherRoot] = [laneOf(this.draft, first), laneOf(this.draft, second)];
    if (root !== otherRoot) links.set(otherRoot, root);
    const hidden = new Set(this.draft.hidden);
    for (const key of [first, second]) if (this.regionOf(key) === undefined) hidden.add(key);
    const bridge = bridgeBetween(before, after, root);
    const bridges = bridge === undefined ? [] : [regionOf(this.newKey(), bridge)];
    this.change({ links, hidden, regions: [...this.draft.regions, ...bridges] });
  }

  /** The times and positions of a region. For a detection, those of the region that can replace it, slightly larger than its mask. */
  trackOf(key: string): Track | undefined {
    const region = this.regionOf(key);
    if (region !== undefined) return region.track;
    const detection = this.detections.find(({ id }) => id === key);
    if (detection === undefined) return undefined;
    const { start_seconds: startSeconds = 0, end_seconds: endSeconds = startSeconds, category } = detection;
    const keyframes = (detection.keyframes ?? []).map(({ time_seconds, box }) => {
      return { time_seconds, box: boxWithRim(this.#maskOf(detection, box), TOLD_TOLERANCE) };
    });
    return { startSeconds, endSeconds, keyframes, category, from: key };
  }

  /**
   * Sets the keyframes that a person led a region along, and the time from the first to the last.
   *
   * @param led in time order
   */
  lead(key: string, led: readonly Keyframe[]) {
    const track = this.regionOf(key)?.track;
    if (track !== undefined) this.setTrack(key, leadTrack(track, led));
  }

  /** Removes added masks in one step. */
  removeLane(keys: readonly string[]) {
    this.change({ regions: this.draft.regions.filter(({ key }) => !keys.includes(key)) });
  }

  lanes() {
    // Cached, because every played frame needs them and only a change to the draft affects them.
    const { draft } = this;
    if (this.#known?.draft !== draft) this.#known = { draft, lanes: lanesOf(this.detections, draft) };
    return this.#known.lanes;
  }

  override revision() {
    const { hidden, regions } = this.draft;
    return {
      redact: [...hidden],
      regions: regions.flatMap(({ key, track }) =>
        track === undefined
          ? []
          : [{ ...trackRegion(track, this.#video.durationSeconds), ...this.reasonOfRegion(key) }],
      ),
      ...this.reasonsOfRevision(),
      ...this.#soundOfRevision(),
    };
  }

  /** If some speech stays audible, the muted speech is listed range by range. */
  #soundOfRevision() {
    if (this.isMuted === this.#wasMuted && this.muted === this.#mutedBefore) return {};
    const isAllSpeech = this.#wasSpeechMuted && this.muted.every(({ isSpeech, isOn }) => !isSpeech || isOn);
    const listed = this.muted.filter(({ isSpeech, isOn }) => isOn && !(isSpeech && isAllSpeech));
    return {
      audio: this.isMuted ? "mute" : isAllSpeech ? "mute_speech" : "keep",
      ...(this.muted !== this.#mutedBefore && {
        mute_ranges: listed.map(({ startSeconds, endSeconds, sound }) => ({
          start_seconds: startSeconds,
          end_seconds: endSeconds,
          sound,
        })),
      }),
    };
  }

  /** Changes the times and positions of a region. A detection is replaced by a region first. */
  #edit(key: string, change: (track: Track, seconds: number) => Track) {
    const track = this.trackOf(key);
    if (track === undefined) return key;
    const changed = change(track, this.#now());
    if (changed === track) return key;
    if (this.regionOf(key) !== undefined) {
      this.setTrack(key, changed);
      return key;
    }
    const part = this.newKey();
    this.#replace(key, [regionOf(part, changed)]);
    return part;
  }

  #replace(key: string, parts: readonly Region[]) {
    const hidden = new Set(this.draft.hidden);
    hidden.delete(key);
    const regions = this.draft.regions.flatMap((region) => (region.key === key ? parts : [region]));
    const isNew = this.regionOf(key) === undefined;
    this.change({ hidden, regions: isNew ? [...regions, ...parts] : regions });
  }
}

function regionOf(key: string, track: Track): Region {
  return { key, kind: "box", box: track.keyframes[0]?.box ?? { x: 0, y: 0, width: 0, height: 0 }, track };
}
