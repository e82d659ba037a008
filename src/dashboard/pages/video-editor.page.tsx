import type { VideoEditorData } from "../data/video-editor.data.ts";
import { EditorFacts, EditorFrame, HiddenPanel, Toolbar } from "../parts/editor.tsx";
import { Selected, Timeline, Transport } from "../parts/video-editor.tsx";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";

const PATH = `${DASHBOARD_PATH}/media`;

const TOOLS = [
  { value: "select", name: "Select", hint: "Click what was found to hide it or show it" },
  {
    value: "box",
    name: "Static",
    hint: "Drag to hide a place in all frames; set its beginning and end on the timeline",
  },
  {
    value: "follow",
    name: "Followed",
    hint: "Drag around something: the mask follows it, back and forth, until it is lost",
  },
  {
    value: "lead",
    name: "Led",
    hint: "Press and hold on something: the video plays slowly, and the mask goes with the pointer",
  },
] as const;

const KEYS = [
  [", .", "one frame back, on; on the picture ← → too"],
  ["Page down, up", "ten frames back, on"],
  ["Space, P", "play or pause"],
  ["↑ ↓, Tab", "another thing"],
  ["H", "hide or show it"],
  ["B", "add a static mask"],
  ["F", "follow what the mask is on"],
  ["L", "lead the mask with the arrows while the video plays slowly; L again to end"],
  ["Arrows, [ ]", "move a mask; make it smaller, larger"],
  ["K", "add or remove a keyframe here"],
  ["< > J", "keyframe before, after; the middle between"],
  ["I, O", "begin here, end here"],
  ["S", "split here"],
  ["Delete", "remove a mask"],
  ["+ − 0", "zoom in, out, to fit"],
  ["Ctrl Z, Ctrl Shift Z", "undo, redo"],
] as const;

/** The video with everything that was found in it, to be corrected. */
export function VideoEditorPage({
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
  data: VideoEditorData;
}) {
  const { width, height } = data;
  return (
    <EditorFrame
      viewer={viewer}
      title={title}
      mediaId={mediaId}
      editor="videoEditor"
      isSourceKept={sourceUntilMs !== null}
    >
      <div
        class="editor"
        data-editor="video"
        data-media-path={PATH}
        data-revisions={`${PATH}/${mediaId}/revisions`}
        data-detections={`${PATH}/${mediaId}/edit/detections`}
        data-follow={`${PATH}/${mediaId}/edit/follow`}
        data-csrf={viewer.csrfToken}
      >
        <EditorFacts facts={data} />
        <section class="panel workbench" aria-label="Video">
          <Toolbar tools={TOOLS}>
            <label class="led-size" title="How large a mask is that is led, as a share of what is seen">
              Size
              <input
                type="range"
                min="0.03"
                max="0.6"
                step="0.01"
                value="0.15"
                data-led-size
                aria-label="Size of led masks"
              />
            </label>
          </Toolbar>
          <div class="screen">
            <video src={sourcePath} preload="auto" playsinline />
            <svg
              class="stage"
              data-tool="select"
              viewBox={`0 0 ${width} ${height}`}
              width={width}
              height={height}
              tabindex={0}
              role="group"
              aria-label="The frame that is shown, with what is hidden"
              aria-describedby="editor-keys"
            >
              <g class="things" />
            </svg>
          </div>
          <Transport />
          <Timeline />
          <Selected />
        </section>
        <HiddenPanel hasThresholds={data.thresholds !== null} sourceUntilMs={sourceUntilMs ?? 0} keys={KEYS}>
          <label class="mute">
            <input type="checkbox" data-mute />
            Remove the sound
          </label>
        </HiddenPanel>
      </div>
    </EditorFrame>
  );
}
