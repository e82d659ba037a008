import { need } from "./elements.ts";
import type { EditorState } from "./editor-state.ts";
import type { EditorView } from "./editor-view.ts";

/** Connects the toolbar: tools, undo and redo, zoom, preview. */
export function takeToolbar({
  editor,
  svg,
  state,
  view,
}: {
  readonly editor: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly state: EditorState;
  readonly view: EditorView;
}): { toolOf: () => string; chooseTool: (tool: string) => void } {
  const undo = need(editor, "[data-undo]", HTMLButtonElement);
  const redo = need(editor, "[data-redo]", HTMLButtonElement);
  const preview = need(editor, "[data-preview]", HTMLInputElement);
  const hint = need(editor, "[data-tool-hint]", HTMLElement);
  undo.addEventListener("click", () => {
    state.undo();
  });
  redo.addEventListener("click", () => {
    state.redo();
  });
  need(editor, "[data-zoom-in]", HTMLButtonElement).addEventListener("click", () => {
    view.zoomIn();
  });
  need(editor, "[data-zoom-out]", HTMLButtonElement).addEventListener("click", () => {
    view.zoomOut();
  });
  need(editor, "[data-zoom-fit]", HTMLButtonElement).addEventListener("click", () => {
    view.fit();
  });
  svg.addEventListener("zoomed", () => {
    need(editor, "[data-zoom]", HTMLElement).textContent = `${Math.round(view.zoom * 100)}%`;
  });
  preview.addEventListener("change", () => {
    svg.classList.toggle("previewing", preview.checked);
  });
  for (const input of editor.querySelectorAll("input[name=tool]")) {
    input.addEventListener("change", () => {
      showTool();
    });
  }
  state.addEventListener("change", show);
  show();
  showTool();
  return { toolOf, chooseTool };

  function show() {
    undo.disabled = !state.canUndo;
    redo.disabled = !state.canRedo;
  }

  function chosenTool() {
    const chosen = editor.querySelector("input[name=tool]:checked");
    return chosen instanceof HTMLInputElement ? chosen : undefined;
  }

  function toolOf() {
    return chosenTool()?.value ?? "select";
  }

  function showTool() {
    svg.dataset["tool"] = toolOf();
    hint.textContent = chosenTool()?.dataset["hint"] ?? "";
  }

  function chooseTool(tool: string) {
    const input = editor.querySelector(`input[name=tool][value=${tool}]`);
    if (input instanceof HTMLInputElement) input.checked = true;
    showTool();
  }
}
