import type { EditorSight } from "./editor-sight.ts";

/** Lets a switch show the candidates: what was found in the video and stays visible. */
export function offerCandidates(editor: HTMLElement, sight: EditorSight) {
  const checkbox = editor.querySelector("input[data-candidates]");
  const label = checkbox?.closest("label");
  if (!(checkbox instanceof HTMLInputElement) || !label || sight.candidateCount === 0) return;
  label.hidden = false;
  label.append(sight.candidateCount === 1 ? "Show 1 candidate" : `Show ${sight.candidateCount} candidates`);
  checkbox.addEventListener("change", () => {
    sight.showCandidates(checkbox.checked);
  });
  // A browser that goes back to the page restores the switch.
  sight.showCandidates(checkbox.checked);
}
