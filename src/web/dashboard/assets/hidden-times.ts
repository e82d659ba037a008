import type { Keyframe } from "./editor-state.ts";

/** The longest time to wait for an answer. */
const TIMEOUT_MS = 30_000;
/** Intervals closer together than this share of the video are shown as one. */
const GAP_SHARE = 0.005;

export interface Thing {
  category: string | null;
  confidence: number | null;
  redacted: boolean;
  start_seconds?: number;
  end_seconds?: number;
  keyframes?: readonly Keyframe[];
}

interface Found {
  duration_seconds: number;
  detections: readonly Thing[];
  truncated: boolean;
}

interface TimeRange {
  start: number;
  end: number;
}

/** Shows the time ranges in which something is hidden in a video, by category. The players can jump there. */
export function showTimes(section: HTMLElement) {
  void tellTimes(section);
}

/**
 * Shows the same and returns the detections.
 *
 * @returns undefined if they could not be loaded
 */
export async function tellTimes(section: HTMLElement): Promise<Found | undefined> {
  const compare = section.closest(".compare");
  const video = compare?.querySelector("figure:not(.original) video") ?? compare?.querySelector("video");
  const status = section.querySelector("[role=status]");
  if (!(video instanceof HTMLVideoElement) || status === null) return undefined;
  section.hidden = false;
  return await tell(section, video, status);
}

async function tell(section: HTMLElement, video: HTMLVideoElement, status: Element) {
  try {
    const found = await load(section.dataset["times"] ?? "");
    status.textContent = fill(section, video, found);
    return found;
  } catch {
    status.textContent = "The times could not be loaded. Reload the page to try again.";
    return undefined;
  }
}

async function load(address: string): Promise<Found> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error("The times were not answered.");
  return (await answer.json()) as Found;
}

function fill(
  section: HTMLElement,
  video: HTMLVideoElement,
  { duration_seconds: duration, detections, truncated }: Found,
) {
  let isAny = false;
  for (const row of section.querySelectorAll(".time-row")) {
    if (!(row instanceof HTMLElement)) continue;
    const things = detections.filter((thing) => thing.redacted && groupOf(thing) === row.dataset["category"]);
    if (things.length === 0) continue;
    row.hidden = false;
    isAny = true;
    fillRow(row, mergeTimeRanges(things.map(timeRangeOf), duration * GAP_SHARE), { video, duration });
  }
  if (isAny) return "";
  return truncated ? "It is not known when something is hidden." : "Nothing is hidden in this video.";
}

/** The row of a detection: its category, or none if a person drew it. */
function groupOf({ category, confidence }: Thing) {
  return confidence === null ? "" : (category ?? "");
}

/** The time range of a detection. */
export function timeRangeOf({ start_seconds: start = 0, end_seconds: end = start }: Thing): TimeRange {
  return { start, end };
}

/** Sorts time ranges and merges those that are closer than `gap`. */
export function mergeTimeRanges(all: readonly TimeRange[], gap: number) {
  const ranges: TimeRange[] = [];
  const inOrder = all.map((range) => ({ ...range })).sort((a, b) => a.start - b.start);
  for (const next of inOrder) {
    const last = ranges.at(-1);
    if (last !== undefined && next.start <= last.end + gap) last.end = Math.max(last.end, next.end);
    else ranges.push(next);
  }
  return ranges;
}

function fillRow(
  row: HTMLElement,
  ranges: readonly TimeRange[],
  { video, duration }: { video: HTMLVideoElement; duration: number },
) {
  const strip = row.querySelector(".strip");
  const playhead = row.querySelector(".playhead");
  const list = row.querySelector("ul");
  if (!(strip instanceof HTMLElement) || !(playhead instanceof HTMLElement) || list === null) return;
  const last = row.querySelector("[data-end]");
  if (last !== null) last.textContent = clock(duration);
  for (const { start, end } of ranges) {
    const mark = document.createElement("span");
    mark.className = "time-range";
    mark.style.left = `${(100 * start) / duration}%`;
    mark.style.width = `${(100 * (end - start)) / duration}%`;
    strip.insertBefore(mark, playhead);
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `${clock(start)} to ${clock(end)}`;
    button.addEventListener("click", () => {
      video.currentTime = start;
    });
    item.append(button);
    list.append(item);
  }
  strip.addEventListener("click", ({ clientX }) => {
    const { left, width } = strip.getBoundingClientRect();
    video.currentTime = Math.max(0, Math.min(1, (clientX - left) / width)) * duration;
  });
  const follow = () => {
    playhead.style.left = `${Math.min(100, (100 * video.currentTime) / duration)}%`;
  };
  for (const event of ["timeupdate", "seeking"]) video.addEventListener(event, follow);
  follow();
}

/** A time in a video as minutes and seconds. */
export function clock(seconds: number) {
  const [minutes, rest] = [Math.floor(seconds / 60), Math.floor(seconds % 60)];
  return `${minutes}:${String(rest).padStart(2, "0")}.${Math.floor((seconds % 1) * 10)}`;
}
