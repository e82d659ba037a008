import { one } from "./editor-elements.ts";
import { requestRevision } from "./editor-request.ts";
import type { EditorState } from "./editor-state.ts";

/** Shows how much would be hidden, and creates the revision on request. Asks before the page is left with unsaved changes. */
export function takeApply(editor: HTMLElement, state: EditorState) {
  const apply = one(editor, "[data-apply]", HTMLButtonElement);
  const status = one(editor, "[data-editor-status]", HTMLElement);
  let isApplied = false;
  apply.addEventListener("click", () => {
    void send();
  });
  window.addEventListener("beforeunload", (event) => {
    if (state.isChanged && !isApplied) event.preventDefault();
  });
  state.addEventListener("change", show);
  show();

  function show() {
    apply.disabled = !state.isChanged;
    const { hidden, regions } = state.draft;
    const count = hidden.size + regions.length;
    status.textContent = `${count} ${count === 1 ? "thing is" : "things are"} hidden${state.isChanged ? ", not applied yet" : ""}.`;
  }

  async function send() {
    apply.disabled = true;
    status.textContent = "Applying…";
    const outcome = await requestRevision(editor, state.revision());
    if (outcome.mediaId !== undefined) {
      isApplied = true;
      window.location.assign(
        editor.dataset["appliedPath"] ?? `${editor.dataset["mediaPath"]}/${outcome.mediaId}`,
      );
      return;
    }
    status.textContent = outcome.fault;
    apply.disabled = false;
  }
}
