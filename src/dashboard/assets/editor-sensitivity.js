/** @import { EditorState } from "./editor-state.js" */
/** @typedef {Readonly<Record<"low" | "normal" | "high", Readonly<Record<string, number>>>>} Thresholds Least confidences by category. */

const STEPS = /** @type {const} */ (["low", "normal", "high"]);

/**
 * Lets a slider set the least confidence of what is hidden. It overrides what a person switched before. Confidence alone does not
 * decide about a video, where short tracks stay open: there, normal hides what was redacted, low hides less, and high hides more.
 *
 * @param {object} parts
 * @param {HTMLElement} parts.editor
 * @param {EditorState} parts.state
 * @param {Thresholds | null} parts.thresholds null where the detector does not say them
 * @param {boolean} [parts.isTracked] whether it is a video
 */
export function takeSensitivity({ editor, state, thresholds, isTracked = false }) {
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
        .filter(({ category, confidence, redacted }) => {
          if (category === null || confidence === null) return false;
          const isSure = confidence >= (thresholds[step][category] ?? 1);
          return (isTracked ? isHiddenAt(step, { isSure, redacted }) : isSure) === isHidden;
        })
        .map(({ id }) => id);
      state.setHidden(ids, isHidden);
    }
    state.endGesture();
  });
}

/**
 * @param {(typeof STEPS)[number]} step
 * @param {{ readonly isSure: boolean, readonly redacted: boolean }} track
 */
function isHiddenAt(step, { isSure, redacted }) {
  if (step === "low") return redacted && isSure;
  return redacted || (step === "high" && isSure);
}
