import type { Box } from "./editor-geometry.ts";
import { need } from "./elements.ts";
import { playFilm } from "./film-player.ts";
import { clock, mergeTimeRanges, timeRangeOf, tellTimes } from "./hidden-times.ts";
import { shownPart } from "./video-crop.ts";
import { maskAround } from "./video-masks.ts";
import { boxAt, isDuring } from "./video-tracks.ts";
import type { Thing } from "./hidden-times.ts";
import type { MaskRules } from "./video-masks.ts";
import type { Shape } from "./editor-shapes.ts";

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rules: MaskRules;
}

const SVG = "http://www.w3.org/2000/svg";
/** A frame that is viewed while the player is paused counts as this many seconds. */
const FRAME_SECONDS = 0.05;
/** How much of a mask's time range may be missing at its ends, because players report the played ranges a little late. */
const MISSED_SECONDS = 0.5;

/** Records which parts of a video its reviewer has seen. */
export function watchFilm(section: HTMLElement) {
  const video = need(section, "figure:not(.original) video", HTMLVideoElement);
  const times = section.querySelector("[data-times]");
  let hidden: readonly Thing[] | undefined;
  const looked: { start: number; end: number }[] = [];
  playFilm(need(section, "[data-film-player]", HTMLElement));
  if (times instanceof HTMLElement) void start(video, times);
  for (const finding of section.closest("form")?.querySelectorAll("[data-finding]") ?? []) {
    if (!(finding instanceof HTMLButtonElement)) continue;
    finding.addEventListener("click", () => {
      video.pause();
      video.currentTime = Number(finding.dataset["fromSeconds"]);
    });
  }
  video.addEventListener("seeked", () => {
    if (!video.paused) return;
    looked.push({ start: video.currentTime - FRAME_SECONDS, end: video.currentTime + FRAME_SECONDS });
  });

  async function start(player: HTMLVideoElement, list: HTMLElement) {
    const found = await tellTimes(list);
    hidden = found?.detections.filter(({ redacted }) => redacted);
    const canvas = section.querySelector("[data-masks]");
    if (canvas === null || hidden === undefined) return;
    const picture = JSON.parse(section.dataset["film"] ?? "{}") as Picture;
    const part = await shownPart(player, picture, section.dataset["shownPart"] ?? "");
    if (canvas instanceof SVGElement) lieOver(canvas, part);
    drawMasks(canvas, { player, hidden, picture });
  }

  function seen() {
    return mergeTimeRanges([...playedOf(video), ...looked], 0);
  }

  /** The time ranges of masks that the reviewer has not seen in full, in order. */
  function missedOf(things: readonly Thing[]) {
    const ranges = seen();
    return things
      .map(timeRangeOf)
      .filter((mask) => !isSeen(mask, ranges))
      .sort((a, b) => a.start - b.start);
  }

  return {
    /** The unseen part of the video, in words; undefined if the reviewer has seen it all. */
    unseen() {
      if (hidden === undefined) return "The masks of this video have not loaded yet.";
      if (seen().length === 0) return "You have not played this video.";
      const missed = missedOf(hidden);
      const [first] = missed;
      if (first === undefined) return undefined;
      const at = clock(first.start).replace(/\.0$/, "");
      return missed.length === 1
        ? `You have not seen the mask at ${at} in full.`
        : `You have not seen ${missed.length} of ${hidden.length} masks in full. Continue at ${at}.`;
    },
    /** Plays from the first mask that the reviewer has not seen in full. */
    playUnseen() {
      video.currentTime = missedOf(hidden ?? [])[0]?.start ?? 0;
      void video.play().catch(() => undefined);
    },
    /** Pauses a video that is not shown. */
    pause() {
      video.pause();
    },
  };
}

/** Places the drawing over the part of the frames that its coordinates refer to. */
function lieOver(canvas: SVGElement, { x, y, width, height }: Box) {
  for (const [name, share] of Object.entries({ left: x, top: y, width, height }))
    canvas.style.setProperty(name, `${100 * share}%`);
}

function playedOf({ played }: HTMLVideoElement) {
  return Array.from({ length: played.length }, (_, index) => ({
    start: played.start(index),
    end: played.end(index),
  })).filter(({ start, end }) => end > start);
}

function isSeen(
  mask: { readonly start: number; readonly end: number },
  seen: readonly { readonly start: number; readonly end: number }[],
) {
  const overlaps = seen
    .map(({ start, end }) => Math.min(end, mask.end) - Math.max(start, mask.start))
    .filter((seconds) => seconds >= 0);
  const seenSeconds = overlaps.reduce((sum, seconds) => sum + seconds, 0);
  return overlaps.length > 0 && mask.end - mask.start - seenSeconds <= MISSED_SECONDS;
}

/** Draws the masks over each frame. */
function drawMasks(
  canvas: Element,
  {
    player,
    hidden,
    picture,
  }: { readonly player: HTMLVideoElement; readonly hidden: readonly Thing[]; readonly picture: Picture },
) {
  const draw = () => {
    const seconds = player.currentTime;
    canvas.replaceChildren(
      ...hidden.flatMap((thing) => {
        const { start, end } = timeRangeOf(thing);
        const isThere = isDuring({ startSeconds: start, endSeconds: end }, seconds);
        const box = isThere ? boxAt(thing.keyframes ?? [], seconds) : undefined;
        return box === undefined ? [] : [drawn(maskAround(thing, box, picture))];
      }),
    );
  };
  const follow = () => {
    draw();
    if (canvas.isConnected) player.requestVideoFrameCallback(follow);
  };
  player.addEventListener("seeked", draw);
  player.requestVideoFrameCallback(follow);
  draw();
}

function drawn({ shape, box: { x, y, width, height } }: Shape) {
  const element = document.createElementNS(SVG, shape === "ellipse" ? "ellipse" : "rect");
  const places =
    shape === "ellipse"
      ? { cx: x + width / 2, cy: y + height / 2, rx: width / 2, ry: height / 2 }
      : { x, y, width, height };
  for (const [name, value] of Object.entries(places)) element.setAttribute(name, String(value));
  return element;
}
