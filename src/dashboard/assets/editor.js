// The photo editor: what was found, as shapes over the original, to be switched, drawn and applied as a revision.
import { takeApply } from "./editor-apply.js";
import { openWorkbench } from "./editor-workbench.js";
import { enhanceEach } from "./enhance.js";

enhanceEach("[data-editor=photo]", HTMLElement, (editor) => {
  takeApply(editor, openWorkbench(editor).state);
  editor.inert = false;
});
