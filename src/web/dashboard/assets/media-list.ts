// The media list, in which files can be selected.
import { enhanceEach } from "./elements.ts";
import { REFRESHED } from "./refresh.ts";

function enhanceList() {
  enhanceEach("form[data-selection]", HTMLFormElement, offerSelection);
}

enhanceList();
document.addEventListener(REFRESHED, enhanceList);

/** Selects all rows of a list, or a range with the Shift key, and shows how many are selected. */
function offerSelection(form: HTMLFormElement) {
  const all = form.querySelector("input[data-all]");
  const count = form.querySelector("[data-count]");
  if (!(all instanceof HTMLInputElement) || count === null) return;
  const selected = new Set<string>();
  let last: string | undefined;
  const show = () => {
    const picks = boxes();
    const picked = picks.filter(({ checked }) => checked);
    selected.clear();
    for (const { value } of picked) selected.add(value);
    all.checked = picks.length > 0 && picked.length === picks.length;
    all.indeterminate = picked.length > 0 && !all.checked;
    count.textContent = picked.length === 0 ? "" : `${picked.length} selected`;
    for (const button of form.querySelectorAll("button")) button.disabled = picked.length === 0;
  };
  // Rows that the page updates lose their checkmarks.
  document.addEventListener(REFRESHED, () => {
    for (const box of boxes()) box.checked ||= selected.has(box.value);
    show();
  });
  document.addEventListener("click", (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement) || !box.matches("input.pick")) return;
    const picks = boxes();
    const from = picks.findIndex(({ value }) => value === last);
    const to = picks.indexOf(box);
    if (event.shiftKey && from >= 0) {
      for (const between of picks.slice(Math.min(from, to), Math.max(from, to) + 1))
        between.checked = box.checked;
    }
    last = box.value;
    show();
  });
  all.addEventListener("change", () => {
    for (const box of boxes()) box.checked = all.checked;
    show();
  });
  form.addEventListener("submit", (event) => {
    const question = event.submitter?.dataset["confirm"];
    if (question !== undefined && !window.confirm(question.replace("{count}", String(selected.size))))
      event.preventDefault();
  });
  all.closest("label")?.removeAttribute("hidden");
  show();
}

/** The current checkboxes of the list. */
function boxes() {
  return [...document.querySelectorAll("input.pick")].filter((box) => box instanceof HTMLInputElement);
}
