import type { EditorData } from "./editor.data.ts";
import { EditorFrame, type Edited } from "./editor-frame.tsx";
import { FindingMarks } from "../parts/findings.tsx";
import { PHOTO_TOOLS, Stage, type Keys } from "../parts/editor.tsx";

const KEYS: Keys = [
  ["Tab", "next thing in the picture"],
  ["Space", "hide or show it"],
  ["B, E", "add a box, an ellipse"],
  ["Arrows", "move a region, or the picture; faster with Shift"],
  ["[ ]", "make a region smaller, larger"],
  ["Delete", "remove a region"],
  ["R", "give it the reason that was chosen last, or none"],
  ["+ − 0", "zoom in, out, to fit"],
  ["Ctrl Z, Ctrl Shift Z", "undo, redo"],
];

/** The editor of a photo with all its detections. */
export function EditorPage({ edited }: { edited: Edited<EditorData> }) {
  return (
    <EditorFrame
      edited={edited}
      kind="photo"
      applying="Its page opens and shows it beside the original."
      tools={PHOTO_TOOLS}
      keys={KEYS}
    >
      <Stage
        size={edited.data}
        label="The original with its masks"
        keysId="editor-keys"
        source={edited.sourcePath}
      >
        <FindingMarks findings={edited.findings ?? []} size={edited.data} />
      </Stage>
    </EditorFrame>
  );
}
