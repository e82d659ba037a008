import type { VideoEditorData } from "../data/video-editor.data.ts";
import { EditorFrame, type Edited } from "../parts/editor-frame.tsx";
import { Stage, type Keys, type Tool } from "../parts/editor.tsx";
import { Transport } from "../parts/transport.tsx";
import { Candidates, LedSize, Mute, Selected, Timeline } from "../parts/video-editor.tsx";

const TOOLS: readonly Tool[] = [
  {
    value: "select",
    name: "Select",
    hint: "Click a shape to hide it or show it. Drag to move the picture.",
    note: "Hide or show what was found",
  },
  {
    value: "box",
    name: "Fixed",
    hint: "Drag over an area. The mask stays there; set its start and end on the timeline.",
    note: "Add a mask that stays in one place",
  },
  {
    value: "follow",
    name: "Track",
    hint: "Drag around something. The mask follows it until it is lost.",
    note: "Add a mask that follows something",
  },
  {
    value: "lead",
    name: "Draw as it plays",
    hint: "Press and hold on something while the video plays. The mask follows the pointer.",
    note: "Move a mask yourself during play",
  },
];

const KEYS: Keys = [
  [", .", "one frame back or forward; also ← → on the picture"],
  ["Page down, up", "ten frames back or forward"],
  ["Space, P", "play or pause"],
  ["↑ ↓, Tab", "next or previous mask"],
  ["H", "hide or show it"],
  ["B", "add a static mask"],
  ["F", "follow what the mask is on"],
  ["L", "move the mask with the arrow keys while the video plays slowly; press L again to stop"],
  ["Arrows, [ ]", "move a mask; make it smaller, larger"],
  ["K", "add or remove a keyframe here"],
  ["< > J", "previous or next keyframe; the middle between two"],
  ["I, O", "begin here, end here"],
  ["S", "split here"],
  ["Delete", "remove a mask"],
  ["+ − 0", "zoom in, out, to fit"],
  ["Ctrl Z, Ctrl Shift Z", "undo, redo"],
];

/** The video with everything that was found in it, to be corrected. */
export function VideoEditorPage({ edited }: { edited: Edited<VideoEditorData> }) {
  return (
    <EditorFrame
      edited={edited}
      kind="video"
      tools={TOOLS}
      views={<Candidates />}
      toolOptions={<LedSize />}
      hiddenOptions={<Mute />}
      keys={KEYS}
    >
      <div class="screen">
        <video src={edited.sourcePath} preload="auto" playsinline />
        <Stage size={edited.data} label="The current frame with its masks" keysId="editor-keys" />
      </div>
      <Transport />
      <Timeline />
      <Selected />
    </EditorFrame>
  );
}
