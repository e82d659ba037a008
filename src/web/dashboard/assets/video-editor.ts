// The video editor: detections as lanes of a timeline and as masks over the frames. They can be switched, drawn, followed and led.
import { takeApply } from "./editor-apply.ts";
import { need, readData, enhanceEach } from "./elements.ts";
import { drawing, moving, panning, resizing } from "./editor-gestures.ts";
import { takeKeys, takeUndoKeys } from "./editor-keys.ts";
import { listThings } from "./editor-list.ts";
import { nameThings } from "./editor-names.ts";
import { takePointer } from "./editor-pointer.ts";
import { takeReasons } from "./editor-reasons.ts";
import { takeSensitivity } from "./editor-sensitivity.ts";
import { EditorShapes } from "./editor-shapes.ts";
import { EditorSight } from "./editor-sight.ts";
import { takeToolbar } from "./editor-toolbar.ts";
import { EditorView } from "./editor-view.ts";
import { actionsOf } from "./video-actions.ts";
import { partStyle, shownPart, WHOLE } from "./video-crop.ts";
import { takeVideoFindings } from "./video-findings.ts";
import { takeVideoKeys } from "./video-keys.ts";
import { Leading } from "./video-lead.ts";
import { maskAround } from "./video-masks.ts";
import { offerPlayable } from "./video-playable.ts";
import { shownTime, VideoPlayer } from "./video-player.ts";
import { sceneOfVideo } from "./video-scene.ts";
import { showSelected } from "./video-selected.ts";
import { takeMuted } from "./video-muted.ts";
import { takeMutedMarks } from "./video-muted-marks.ts";
import { takeSound } from "./video-sound.ts";
import { VideoState } from "./video-state.ts";
import { Thumbnails } from "./video-thumbnails.ts";
import { takeTimelinePointer } from "./video-timeline-pointer.ts";
import { VideoTimeline } from "./video-timeline.ts";
import { takeTransport } from "./video-transport.ts";
import type { Box } from "./editor-geometry.ts";
import type { Detection, MutedRange, Reasons } from "./editor-state.ts";
import type { Thresholds } from "./editor-sensitivity.ts";
import type { VideoAction } from "./video-actions.ts";
import type { MaskRules } from "./video-masks.ts";

/** The data of the page. */
interface VideoData {
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  readonly fileBytes: number;
  readonly isMuted: boolean;
  readonly isSpeechMuted: boolean;
  readonly mutedRanges: readonly MutedRange[];
  readonly categoryNames: Readonly<Record<string, string>>;
  readonly thresholds: Thresholds | null;
  readonly rules: MaskRules;
  readonly reasons: Reasons;
}

enhanceEach("[data-editor=video]", HTMLElement, (editor) => {
  editor.inert = false;
  void openVideoEditor(editor);
});

async function openVideoEditor(editor: HTMLElement) {
  const data = readData(editor) as VideoData;
  const status = need(editor, "[data-editor-status]", HTMLElement);
  const video = need(editor, "video", HTMLVideoElement);
  const player = new VideoPlayer(video, data.durationSeconds);
  editor.dataset["loading"] = "";
  status.textContent = "Loading the detections …";
  const detections = await detectionsOf(editor);
  if (detections === undefined) {
    delete editor.dataset["loading"];
    status.textContent = "The detections could not be loaded. Reload the page.";
    return;
  }
  await player.learnFrameSeconds();
  const part = await shownPart(video, data, editor.dataset["shownPart"] ?? "");
  openWith(editor, { data, detections, player, video, part });
}

async function detectionsOf(editor: HTMLElement): Promise<readonly Detection[] | undefined> {
  try {
    const answer = await fetch(editor.dataset["detections"] ?? "", {
      headers: { Accept: "application/json" },
    });
    const { detections } = (await answer.json()) as { detections?: readonly Detection[] };
    return detections;
  } catch {
    return undefined;
  }
}

function openWith(
  editor: HTMLElement,
  {
    data,
    detections,
    player,
    video,
    part: partOfOriginal,
  }: {
    data: VideoData;
    detections: readonly Detection[];
    player: VideoPlayer;
    video: HTMLVideoElement;
    part: Box;
  },
) {
  let part = partOfOriginal;
  const svg = need(editor, "svg.stage", SVGSVGElement);
  const state = new VideoState(detections, {
    video: data,
    now: () => player.seconds,
    maskOf: (detection, box) => maskAround(detection, box, data).box,
  });
  const sight = new EditorSight(detections, data.thresholds, { isMasksOnly: true });
  const view = new EditorView(svg, data);
  const names = nameThings(state, data.categoryNames);
  const layer = need(editor, "svg.stage .things", SVGGElement);
  const scene = sceneOfVideo(state, { player, sight }, data);
  const shapes = new EditorShapes({ layer, size: data, scene, ...names });
  const timelineView = need(editor, "[data-timeline]", HTMLElement);
  const thumbnails = new Thumbnails(video.currentSrc || video.src, part);
  const timeline = new VideoTimeline(timelineView, { state, player, shapes, sight, thumbnails, ...names });
  const leading = new Leading({ state, player, shapes });
  const workbench = { svg, state, shapes, view };
  const parts = { editor, player, timeline, leading, sight, say, rate, ...workbench };
  const actions = actionsOf(parts);

  const list = need(editor, ".things-list", HTMLElement);
  listThings({ list, state, sight, onShow: actions.choose, ...names });
  takeSensitivity({ editor, state, thresholds: data.thresholds, isTracked: true });
  const { toolOf, chooseTool } = takeToolbar({ editor, svg, state, view });
  takePointer({
    svg,
    view,
    gestureAt: ({ target, key, at, event }) => {
      const tool = toolOf();
      const isRegion = key !== undefined && state.boxOf(key) !== undefined;
      if (event.button === 1) return panning(workbench, event);
      if (target.dataset["across"] !== undefined) return resizing(workbench, target);
      if (tool === "lead") return leading.gesture(at, { size: ledSize(), known: isRegion ? key : undefined });
      if (tool !== "select") return drawing(workbench, at, { kind: "box", onDrawn: () => onDrawn(tool) });
      if (isRegion) return moving(workbench, at, key);
      return panning(workbench, event, key);
    },
  });
  takeUndoKeys(editor, state);
  takeKeys({ ...workbench, handleFirst: takeVideoKeys({ editor, timelineView, actions, leading }) });
  takeTransport({
    root: editor,
    player,
    act: (action) => {
      actions[action as VideoAction]();
    },
    textOf: () => `${shownTime(player.seconds)}, frame ${player.frame}`,
  });
  takeTimelinePointer({ view: timelineView, timeline, state, player, shapes });
  showSelected({ editor, svg, state, player, shapes, sight, ...names });
  takeReasons({ editor, svg, state, shapes, ...names });
  takeMutedMarks({ editor, state, player, timeline, say, onChosen: takeMuted({ editor, state, player }) });
  const takeSoundOf = takeSound({ editor, video, state, timeline, fileBytes: data.fileBytes });
  takeVideoFindings(editor, { view, player, timeline });
  takeApply(editor, state);
  offerCandidates(editor, sight);
  for (const [selector, direction] of [
    ["in", 1],
    ["out", -1],
    ["fit", 0],
  ] as const) {
    need(editor, `[data-timeline-${selector}]`, HTMLButtonElement).addEventListener("click", () => {
      timeline.zoom(direction);
    });
  }
  svg.addEventListener("zoomed", showZoom);
  svg.addEventListener("selected", () => {
    sight.keep([shapes.selected]);
    timeline.ask();
  });
  player.addEventListener("frame", () => {
    leading.note();
    shapes.show();
  });
  for (const changing of [state, sight]) {
    changing.addEventListener("change", () => {
      shapes.show();
      timeline.show();
    });
  }
  offerPlayable({ editor, video, film: data, say, play: playCopy });
  view.fit();
  delete editor.dataset["loading"];
  editor.dataset["ready"] = "";

  /** The video is panned and zoomed like the drawing over it. */
  function showZoom() {
    const { zoom, center } = view;
    const scale = Math.min(svg.clientWidth / data.width, svg.clientHeight / data.height) * zoom;
    const [right, down] = [(0.5 - center.x) * data.width * scale, (0.5 - center.y) * data.height * scale];
    const cropped =
      part === WHOLE
        ? undefined
        : partStyle({ width: svg.clientWidth, height: svg.clientHeight }, data, part);
    video.style.transform = `translate(${right}px, ${down}px) scale(${zoom}) ${cropped?.transform ?? ""}`;
    video.style.clipPath = cropped?.clipPath ?? "";
    shapes.showHandles();
  }

  function onDrawn(tool: string) {
    chooseTool("select");
    if (tool === "follow") actions.follow();
  }

  /** A led mask has the size of the selected one. */
  function ledSize() {
    const known = shapes.selected === undefined ? undefined : state.boxOf(shapes.selected);
    if (known !== undefined) return known;
    const width = need(editor, "[data-led-size]", HTMLInputElement).valueAsNumber / view.zoom;
    return { width, height: (width * data.width) / data.height };
  }

  function say(sentence: string) {
    need(editor, "[data-editor-said]", HTMLElement).textContent = sentence;
  }

  /** A copy shows only what the original's container shows. */
  async function playCopy(copy: Blob, url: string) {
    if (!(await player.replace(url))) return false;
    part = WHOLE;
    thumbnails.replace(url, part);
    takeSoundOf(copy);
    showZoom();
    timeline.show();
    return true;
  }

  function rate() {
    return Number(need(editor, "[data-rate]", HTMLSelectElement).value);
  }
}

/** Adds a switch that shows the candidates: detections that stay visible. */
function offerCandidates(editor: HTMLElement, sight: EditorSight) {
  const checkbox = editor.querySelector("input[data-candidates]");
  const label = checkbox?.closest("label");
  if (!(checkbox instanceof HTMLInputElement) || !label || sight.candidateCount === 0) return;
  label.hidden = false;
  label.append(sight.candidateCount === 1 ? "Show 1 candidate" : `Show ${sight.candidateCount} candidates`);
  checkbox.addEventListener("change", () => {
    sight.showCandidates(checkbox.checked);
  });
  // Browsers restore the switch when they go back to the page.
  sight.showCandidates(checkbox.checked);
}
