import type { EditorSight } from "./editor-sight.ts";

/** Adds a switch that shows the candidates: detections that stay visible. */
export function offerCandidates(editor: HTMLElement, sight: EditorSight) {
  const checkbox = editor.querySelector("input[data-candidates]");
  const label = checkbox?.closest("label");
  if (!(checkbox instanceof HTMLInputElement) || !label || sight.candidateCount === 0) return;
  label.hidden = false;
  label.append(sight.candidateCount === 1 ? "Show 1 candidate" : `Show ${sight.candidateCount} candidates`);
  checkbox.addEventListener("change", () => {
    sight.showCandidates(checkbox.checked);
  });
  // Browsers restore the switch when they go back to the page.
  sight.showCandidates(checkbox.checked);
}
