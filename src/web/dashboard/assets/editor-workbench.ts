import { need, readData } from "./elements.ts";
import { takeFindings } from "./editor-findings.ts";
import { drawing, moving, panning, resizing } from "./editor-gestures.ts";
import { boxInSight, takeKeys, takeUndoKeys } from "./editor-keys.ts";
import { listThings } from "./editor-list.ts";
import { nameThings } from "./editor-names.ts";
import { takePointer } from "./editor-pointer.ts";
import { photoScene } from "./editor-scene.ts";
import { takeReasons } from "./editor-reasons.ts";
import { takeSensitivity } from "./editor-sensitivity.ts";
import { EditorShapes } from "./editor-shapes.ts";
import { EditorSight } from "./editor-sight.ts";
import { EditorState } from "./editor-state.ts";
import { takeToolbar } from "./editor-toolbar.ts";
import { EditorView } from "./editor-view.ts";
import type { Detection, Reasons } from "./editor-state.ts";
import type { Shape } from "./editor-shapes.ts";
import type { Thresholds } from "./editor-sensitivity.ts";

/** The data of the page. */
interface EditorData {
  readonly width: number;
  readonly height: number;
  readonly detections: readonly (Detection & { readonly mask?: Shape })[];
  readonly categoryNames: Readonly<Record<string, string>>;
  readonly thresholds: Thresholds | null;
  readonly reasons: Reasons;
}

/** Regions by the key that adds one. */
const KINDS = { b: "box", e: "ellipse" } as Readonly<Record<string, "box" | "ellipse">>;

/** Opens a photo with its detections as shapes that can be switched and drawn. */
export function openWorkbench(editor: HTMLElement): {
  readonly svg: SVGSVGElement;
  readonly state: EditorState;
} {
  const data = readData(editor) as EditorData;
  const svg = need(editor, "svg.stage", SVGSVGElement);
  const state = new EditorState(data.detections, data.reasons);
  const sight = new EditorSight(data.detections, data.thresholds);
  const view = new EditorView(svg, data);
  const names = nameThings(state, data.categoryNames);
  const masks = new Map(data.detections.flatMap(({ id, mask }) => (mask === undefined ? [] : [[id, mask]])));
  const layer = need(editor, "svg.stage .things", SVGGElement);
  const shapes = new EditorShapes({ layer, size: data, scene: photoScene(state, sight, masks), ...names });
  const workbench = { svg, state, shapes, view };

  listThings({
    list: need(editor, ".things-list", HTMLElement),
    state,
    sight,
    onShow: (key) => {
      sight.keep([key]);
      shapes.select(key);
    },
    ...names,
  });
  takeReasons({ editor, svg, state, shapes, ...names });
  takeSensitivity({ editor, state, thresholds: data.thresholds });
  const { toolOf, chooseTool } = takeToolbar({ editor, svg, state, view });
  takePointer({
    svg,
    view,
    gestureAt: ({ target, key, at, event }) => {
      if (event.button === 1) return panning(workbench, event);
      if (target.dataset["across"] !== undefined) return resizing(workbench, target);
      if (toolOf() !== "select") return drawing(workbench, at, { kind: kindOf(toolOf()), onDrawn });
      if (key !== undefined && state.boxOf(key) !== undefined) return moving(workbench, at, key);
      return panning(workbench, event, key);
    },
  });
  takeUndoKeys(editor, state);
  takeKeys({
    ...workbench,
    handleFirst: ({ key }) => {
      const kind = KINDS[key];
      if (kind !== undefined) shapes.select(state.addRegion(kind, boxInSight(svg, view)));
      return kind !== undefined;
    },
  });
  svg.addEventListener("zoomed", () => {
    shapes.showHandles();
  });
  svg.addEventListener("selected", () => {
    sight.keep([shapes.selected]);
  });
  for (const changing of [state, sight]) {
    changing.addEventListener("change", () => {
      shapes.show();
    });
  }
  view.fit();
  takeFindings(editor, view);
  return { svg, state };

  function onDrawn() {
    chooseTool("select");
  }
}

function kindOf(tool: string) {
  return tool === "ellipse" ? "ellipse" : "box";
}
