import type { EditorData } from "../data/editor.data.ts";
import { EditorFacts, EditorFrame, HiddenPanel, Toolbar } from "../parts/editor.tsx";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";

const PATH = `${DASHBOARD_PATH}/media`;

const TOOLS = [
  { value: "select", name: "Select", hint: "Click what was found to hide it or show it" },
  { value: "box", name: "Box", hint: "Drag to hide a rectangle" },
  { value: "ellipse", name: "Ellipse", hint: "Drag to hide an ellipse" },
] as const;

const KEYS = [
  ["Tab", "next thing in the picture"],
  ["Space", "hide or show it"],
  ["B, E", "add a box, an ellipse"],
  ["Arrows", "move a region, or the picture; faster with Shift"],
  ["[ ]", "make a region smaller, larger"],
  ["Delete", "remove a region"],
  ["+ − 0", "zoom in, out, to fit"],
  ["Ctrl Z, Ctrl Shift Z", "undo, redo"],
] as const;

/** The photo with everything that was found in it, to be corrected. */
export function EditorPage({
  viewer,
  title,
  mediaId,
  sourcePath,
  sourceUntilMs,
  data,
}: {
  viewer: Viewer;
  title: string;
  mediaId: string;
  sourcePath: string;
  /** Until when the original can be used; null when it is gone. */
  sourceUntilMs: number | null;
  data: EditorData;
}) {
  const { width, height } = data;
  return (
    <EditorFrame
      viewer={viewer}
      title={title}
      mediaId={mediaId}
      editor="photoEditor"
      isSourceKept={sourceUntilMs !== null}
    >
      <div
        class="editor"
        data-editor="photo"
        data-media-path={PATH}
        data-revisions={`${PATH}/${mediaId}/revisions`}
        data-csrf={viewer.csrfToken}
      >
        <EditorFacts facts={data} />
        <section class="panel workbench" aria-label="Picture">
          <Toolbar tools={TOOLS} />
          <svg
            class="stage"
            data-tool="select"
            viewBox={`0 0 ${width} ${height}`}
            width={width}
            height={height}
            tabindex={0}
            role="group"
            aria-label="The original with what is hidden"
            aria-describedby="editor-keys"
          >
            <image href={sourcePath} width={width} height={height} />
            <g class="things" />
          </svg>
        </section>
        <HiddenPanel
          hasThresholds={data.thresholds !== null}
          sourceUntilMs={sourceUntilMs ?? 0}
          keys={KEYS}
        />
      </div>
    </EditorFrame>
  );
}
