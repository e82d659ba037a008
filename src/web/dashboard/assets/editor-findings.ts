import type { EditorView } from "./editor-view.ts";

/** Shows the place of a finding when it is selected or named in the page's address. */
export function takeFindings(editor: HTMLElement, view: EditorView) {
  const buttons = [...editor.querySelectorAll("button[data-finding]")].filter(
    (element) => element instanceof HTMLButtonElement,
  );
  const marks = [...editor.querySelectorAll(".finding-marks rect")];
  for (const [index, button] of buttons.entries()) {
    button.addEventListener("click", () => {
      view.goTo(
        JSON.parse(button.dataset["finding"] ?? "{}") as {
          x: number;
          y: number;
          width: number;
          height: number;
        },
      );
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      for (const [at, mark] of marks.entries()) mark.classList.toggle("chosen", at === index);
    });
  }
  buttons.find(({ id }) => location.hash === `#${id}`)?.click();
}
