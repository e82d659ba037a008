import { labelBoxes } from "./compare-labels.ts";

/** More labels than this would cover the picture, so they show only on request. */
const MOST_LABELS = 8;

/**
 * Connects the boxes of a picture with the list of detections. A detection that has the pointer or the focus in one is highlighted in the
 * other, and a click keeps it highlighted. Every box gets a label.
 */
export function pointOut(compare: HTMLElement) {
  const buttons = new Map<string, HTMLButtonElement>();
  for (const button of compare.querySelectorAll("button[data-thing]"))
    if (button instanceof HTMLButtonElement) buttons.set(button.dataset["thing"] ?? "", button);
  labelBoxes(compare);
  offerLabels(compare, buttons.size);
  let kept = "";

  /** @param pointed what is highlighted in addition to what a click selected */
  const show = (pointed: string) => {
    for (const element of compare.querySelectorAll("[data-thing]")) {
      const key = element.getAttribute("data-thing");
      element.classList.toggle("lit", key === pointed || key === kept);
    }
  };
  for (const element of compare.querySelectorAll("[data-thing]")) {
    const key = element.getAttribute("data-thing") ?? "";
    const isBox = !(element instanceof HTMLButtonElement);
    element.addEventListener("pointerenter", () => {
      show(key);
      if (isBox) showInList(buttons.get(key));
    });
    for (const event of ["pointerleave", "blur"]) {
      element.addEventListener(event, () => {
        show("");
      });
    }
    element.addEventListener("focus", () => {
      show(key);
    });
  }
  for (const [key, button] of buttons) {
    button.addEventListener("click", () => {
      kept = kept === key ? "" : key;
      for (const [other, each] of buttons) each.setAttribute("aria-pressed", String(other === kept));
      show(key);
    });
  }
}

/** Scrolls the list to a detection. The page must not scroll, because the pointer is on the picture. */
function showInList(button: HTMLElement | undefined) {
  const list = button?.closest("ul");
  if (button === undefined || !list) return;
  const [item, frame] = [button.getBoundingClientRect(), list.getBoundingClientRect()];
  if (item.top < frame.top) list.scrollTop += item.top - frame.top;
  else if (item.bottom > frame.bottom) list.scrollTop += item.bottom - frame.bottom;
}

function offerLabels(compare: HTMLElement, things: number) {
  const checkbox = compare.querySelector("[data-labels]");
  const label = checkbox?.closest("label");
  if (!(checkbox instanceof HTMLInputElement) || !label) return;
  label.hidden = false;
  checkbox.checked = things <= MOST_LABELS;
  const show = () => {
    compare.classList.toggle("labeled", checkbox.checked);
  };
  checkbox.addEventListener("change", show);
  show();
}
