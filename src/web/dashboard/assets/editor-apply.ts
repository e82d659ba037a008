import { need } from "./elements.ts";
import type { EditorState } from "./editor-state.ts";
import { faultOf } from "./answered-fault.ts";

/** Shows how much would be hidden, and creates the revision on request. Asks before the page is left with unsaved changes. */
export function takeApply(editor: HTMLElement, state: EditorState) {
  const apply = need(editor, "[data-apply]", HTMLButtonElement);
  const status = need(editor, "[data-editor-status]", HTMLElement);
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

/** Storing a revision takes a moment, so a request without an answer for this long is lost. */
const TIMEOUT_MS = 30_000;

/** Requests a revision. Never rejects. */
async function requestRevision(
  editor: HTMLElement,
  revision: object,
): Promise<{ mediaId: string; fault?: undefined } | { mediaId?: undefined; fault: string }> {
  try {
    const response = await fetch(editor.dataset["revisions"] ?? "", {
      method: "POST",
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        "X-CSRF-Token": editor.dataset["csrf"] ?? "",
        "Idempotency-Key": await keyOf(revision),
      },
      body: JSON.stringify(revision),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = (await response.json()) as {
      id?: string;
      error?: { message: string; details?: Record<string, unknown> };
    };
    if (response.status === 201 && answer.id !== undefined) return { mediaId: answer.id };
    return { fault: faultOf(answer.error) };
  } catch {
    return { fault: "The connection was lost. Nothing has been applied; try again." };
  }
}

/** An idempotency key from the revision's content, so that a retry after a lost answer does not create a second revision. */
async function keyOf(revision: object) {
  const bytes = new TextEncoder().encode(JSON.stringify(revision) + window.performance.timeOrigin);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
