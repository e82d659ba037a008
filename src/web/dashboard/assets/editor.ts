// The photo editor: detections as shapes over the original. They can be switched, drawn and applied as a revision.
import { takeApply } from "./editor-apply.ts";
import { openWorkbench } from "./editor-workbench.ts";
import { enhanceEach } from "./elements.ts";

enhanceEach("[data-editor=photo]", HTMLElement, (editor) => {
  takeApply(editor, openWorkbench(editor).state);
  editor.inert = false;
});
