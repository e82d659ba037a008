// The video editor: what was found as lanes of a timeline and masks over the frames, to be switched, drawn, followed and led.
import { takeApply } from "./editor-apply.js";
import { one, readData } from "./editor-elements.js";
import { drawing, moving, panning, resizing } from "./editor-gestures.js";
import { takeKeys, takeUndoKeys } from "./editor-keys.js";
import { listThings } from "./editor-list.js";
import { nameThings } from "./editor-names.js";
import { takePointer } from "./editor-pointer.js";
import { takeReasons } from "./editor-reasons.js";
import { takeSensitivity } from "./editor-sensitivity.js";
import { EditorShapes } from "./editor-shapes.js";
import { EditorSight } from "./editor-sight.js";
import { takeToolbar } from "./editor-toolbar.js";
import { EditorView } from "./editor-view.js";
import { enhanceEach } from "./enhance.js";
import { actionsOf } from "./video-actions.js";
import { offerCandidates } from "./video-candidates.js";
import { partStyle, shownPart, WHOLE } from "./video-crop.js";
import { takeVideoKeys } from "./video-keys.js";
import { Leading } from "./video-lead.js";
import { maskAround } from "./video-masks.js";
import { shownTime, VideoPlayer } from "./video-player.js";
import { sceneOfVideo } from "./video-scene.js";
import { showSelected } from "./video-selected.js";
import { takeMuted } from "./video-muted.js";
import { takeSound } from "./video-sound.js";
import { VideoState } from "./video-state.js";
import { Thumbnails } from "./video-thumbnails.js";
import { takeTimelinePointer } from "./video-timeline-pointer.js";
import { VideoTimeline } from "./video-timeline.js";
import { takeTransport } from "./video-transport.js";

/** @import { Box } from "./editor-geometry.js" */
/** @import { Detection, MutedRange } from "./editor-state.js" */
/** @import { Thresholds } from "./editor-sensitivity.js" */
/** @import { VideoAction } from "./video-actions.js" */
/** @import { MaskRules } from "./video-masks.js" */

/**
 * @typedef {{ readonly width: number, readonly height: number, readonly durationSeconds: number, readonly fileBytes: number,
 *   readonly isMuted: boolean, readonly isSpeechMuted: boolean, readonly mutedRanges: readonly MutedRange[],
 *   readonly categoryNames: Readonly<Record<string, string>>, readonly thresholds: Thresholds | null,
 *   readonly rules: MaskRules, readonly reasons: import("./editor-state.js").Reasons }} VideoData What the page says.
 */

enhanceEach("[data-editor=video]", HTMLElement, (editor) => {
  editor.inert = false;
  void openVideoEditor(editor);
});

/** @param {HTMLElement} editor */
async function openVideoEditor(editor) {
  const data = /** @type {VideoData} */ (readData(editor));
  const status = one(editor, "[data-editor-status]", HTMLElement);
  const video = one(editor, "video", HTMLVideoElement);
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

/**
 * @param {HTMLElement} editor
 * @returns {Promise<readonly Detection[] | undefined>}
 */
async function detectionsOf(editor) {
  try {
    const answer = await fetch(editor.dataset["detections"] ?? "", {
      headers: { Accept: "application/json" },
    });
    const { detections } = /** @type {{ detections?: readonly Detection[] }} */ (await answer.json());
    return detections;
  } catch {
    return undefined;
  }
}

/**
 * @param {HTMLElement} editor
 * @param {{ data: VideoData, detections: readonly Detection[], player: VideoPlayer, video: HTMLVideoElement, part: Box }} loaded
 */
function openWith(editor, { data, detections, player, video, part }) {
  const svg = one(editor, "svg.stage", SVGSVGElement);
  const state = new VideoState(detections, {
    video: data,
    now: () => player.seconds,
    maskOf: (detection, box) => maskAround(detection, box, data).box,
  });
  const sight = new EditorSight(detections, data.thresholds, { isMasksOnly: true });
  const view = new EditorView(svg, data);
  const names = nameThings(state, data.categoryNames);
  const layer = one(editor, "svg.stage .things", SVGGElement);
  const scene = sceneOfVideo(state, { player, sight }, data);
  const shapes = new EditorShapes({ layer, size: data, scene, ...names });
  const timelineView = one(editor, "[data-timeline]", HTMLElement);
  const thumbnails = new Thumbnails(video.currentSrc || video.src, part);
  const timeline = new VideoTimeline(timelineView, { state, player, shapes, sight, thumbnails, ...names });
  const leading = new Leading({ state, player, shapes });
  const workbench = { svg, state, shapes, view };
  const parts = { editor, player, timeline, leading, sight, say, rate, ...workbench };
  const actions = actionsOf(parts);

  const list = one(editor, ".things-list", HTMLElement);
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
      actions[/** @type {VideoAction} */ (action)]();
    },
    textOf: () => `${shownTime(player.seconds)}, frame ${player.frame}`,
  });
  takeTimelinePointer({ view: timelineView, timeline, state, player, shapes });
  showSelected({ editor, svg, state, player, shapes, sight, ...names });
  takeReasons({ editor, svg, state, shapes, ...names });
  takeMuted({ editor, state, player });
  takeSound({ editor, video, state, timeline, fileBytes: data.fileBytes });
  takeApply(editor, state);
  offerCandidates(editor, sight);
  for (const [selector, direction] of /** @type {const} */ ([
    ["in", 1],
    ["out", -1],
    ["fit", 0],
  ])) {
    one(editor, `[data-timeline-${selector}]`, HTMLButtonElement).addEventListener("click", () => {
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
  video.addEventListener("error", sayUnplayable);
  if (video.error !== null) sayUnplayable();
  view.fit();
  delete editor.dataset["loading"];
  editor.dataset["ready"] = "";

  /** The video is seen as far and as large as what is drawn over it. */
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

  /** @param {string} tool */
  function onDrawn(tool) {
    chooseTool("select");
    if (tool === "follow") actions.follow();
  }

  /** A mask that is led is as large as the one that was selected. */
  function ledSize() {
    const known = shapes.selected === undefined ? undefined : state.boxOf(shapes.selected);
    if (known !== undefined) return known;
    const width = one(editor, "[data-led-size]", HTMLInputElement).valueAsNumber / view.zoom;
    return { width, height: (width * data.width) / data.height };
  }

  /** @param {string} sentence */
  function say(sentence) {
    one(editor, "[data-editor-said]", HTMLElement).textContent = sentence;
  }

  function sayUnplayable() {
    say(
      "This browser cannot play the original, or it was deleted. You can still hide or show things on the timeline.",
    );
  }

  function rate() {
    return Number(one(editor, "[data-rate]", HTMLSelectElement).value);
  }
}
