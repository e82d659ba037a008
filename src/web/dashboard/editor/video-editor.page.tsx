import type { VideoEditorData } from "./video-editor.data.ts";
import { EditorFrame, type Edited } from "./editor-frame.tsx";
import { FindingMarks } from "../parts/findings.tsx";
import { Stage, type Keys, type Tool } from "../parts/editor.tsx";
import { Transport } from "../parts/transport.tsx";
import { Candidates, LedSize, Mute, MutedRanges, Playable, Selected, Timeline } from "./video-editor.tsx";

const TOOLS: readonly Tool[] = [
  {
    value: "select",
    name: "Select",
    hint: "Click an outline to hide what is in it, or to leave it visible. Drag your own masks to move them.",
    note: "Hide or show what was found",
  },
  {
    value: "box",
    name: "Fixed mask",
    hint: "Drag over an area. The mask stays there for the whole video; then choose where it starts and ends.",
    note: "Hides one place",
  },
  {
    value: "follow",
    name: "Following mask",
    hint: "Drag around a person or thing. Veil moves the mask with it, back and forth, until it is out of sight.",
    note: "Veil moves it with something",
  },
  {
    value: "lead",
    name: "Guided mask",
    hint: "Press and hold on a person or thing. The video plays slowly, and the mask goes where you point.",
    note: "You move it while the video plays",
  },
];

const KEYS: Keys = [
  [", .", "one frame back or forward; also ← → on the picture"],
  ["Page down, up", "ten frames back or forward"],
  ["Space, P", "play or pause"],
  ["↑ ↓, Tab", "next or previous mask"],
  ["H", "hide it, or leave it visible"],
  ["B", "add a fixed mask"],
  ["F", "let the mask follow what is under it"],
  ["L", "guide the mask with the arrow keys while the video plays slowly; press L again to stop"],
  ["Arrows, [ ]", "move a mask; make it smaller, larger"],
  ["K", "set the mask's position in this frame, or remove it"],
  ["< > J", "previous or next set position; halfway between two"],
  ["I, O", "start hiding in this frame, stop after it"],
  ["S", "cut in two here"],
  ["R", "give it the reason that was chosen last, or none"],
  ["Delete", "remove a mask"],
  ["+ − 0", "zoom in, out, to fit"],
  ["Ctrl Z, Ctrl Shift Z", "undo, redo"],
];

/** The editor of a video with all its detections. */
export function VideoEditorPage({ edited }: { edited: Edited<VideoEditorData> }) {
  return (
    <EditorFrame
      edited={edited}
      kind="video"
      applying="Then the video is redacted again from its original: minutes for a long one. Its page shows the progress, then the result beside the original."
      tools={TOOLS}
      views={<Candidates />}
      toolOptions={<LedSize />}
      hiddenOptions={<Mute />}
      keys={KEYS}
    >
      <div class="screen">
        <video src={edited.sourcePath} preload="auto" playsinline />
        <Stage size={edited.data} label="The current frame with its masks" keysId="editor-keys">
          <FindingMarks findings={edited.findings ?? []} size={edited.data} />
        </Stage>
      </div>
      <Playable />
      <Transport />
      <Timeline findings={edited.findings ?? []} />
      <Selected />
      <MutedRanges />
    </EditorFrame>
  );
}
