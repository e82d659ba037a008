/** @import { EditorState } from "./editor-state.js" */
/** @typedef {Readonly<Record<"low" | "normal" | "high", Readonly<Record<string, number>>>>} Thresholds Least confidences by category. */

const STEPS = /** @type {const} */ (["low", "normal", "high"]);

/**
 * Lets one slider decide from which confidence on things are hidden; what a person switched before is decided anew.
 *
 * @param {object} parts
 * @param {HTMLElement} parts.editor
 * @param {EditorState} parts.state
 * @param {Thresholds | null} parts.thresholds null where the detector does not say them
 */
export function takeSensitivity({ editor, state, thresholds }) {
  const slider = editor.querySelector("input[data-sensitivity]");
  if (!(slider instanceof HTMLInputElement) || thresholds === null) return;
  const said = editor.querySelector("[data-sensitivity-said]");
  slider.addEventListener("input", () => {
    const step = STEPS[slider.valueAsNumber] ?? "normal";
    slider.setAttribute("aria-valuetext", step);
    if (said) said.textContent = step;
    state.beginGesture();
    for (const isHidden of [true, false]) {
      const ids = state.detections
        .filter(({ category, confidence }) => {
          if (category === null || confidence === null) return false;
          return confidence >= (thresholds[step][category] ?? 1) === isHidden;
        })
        .map(({ id }) => id);
      state.setHidden(ids, isHidden);
    }
    state.endGesture();
  });
}
