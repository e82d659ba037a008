import type { EditorState } from "./editor-state.ts";

/** Confidence thresholds by category. */
export type Thresholds = Readonly<Record<"low" | "normal" | "high", Readonly<Record<string, number>>>>;

const STEPS = ["low", "normal", "high"] as const;

/**
 * Adds a slider that sets the confidence from which detections are hidden. It overrides earlier switches. In a video, confidence alone
 * does not decide, because short tracks stay visible: normal hides what was redacted, low hides less, and high hides more.
 */
export function takeSensitivity({
  editor,
  state,
  thresholds,
  isTracked = false,
}: {
  readonly editor: HTMLElement;
  readonly state: EditorState;
  /** null if the detector does not report them */
  readonly thresholds: Thresholds | null;
  /** whether it is a video */
  readonly isTracked?: boolean;
}) {
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

function isHiddenAt(
  step: (typeof STEPS)[number],
  { isSure, redacted }: { readonly isSure: boolean; readonly redacted: boolean },
) {
  if (step === "low") return redacted && isSure;
  return redacted || (step === "high" && isSure);
}
