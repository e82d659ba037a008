/** Shows a moment in the reader's own time zone. */
export function showLocalTime(element: HTMLTimeElement) {
  const moment = new Date(element.dateTime);
  element.textContent = moment.toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
  element.title = moment.toISOString();
}

/** Asks for confirmation before a form is sent. */
export function askFirst(form: HTMLFormElement) {
  form.addEventListener("submit", (event) => {
    if (!window.confirm(form.dataset["confirm"])) event.preventDefault();
  });
}

/** Makes a button print the page. */
export function offerPrint(button: HTMLButtonElement) {
  button.hidden = false;
  button.addEventListener("click", () => {
    window.print();
  });
}

/** Makes a button copy the text of an input or of another element. */
export function offerCopy(button: HTMLButtonElement) {
  const source = document.getElementById(button.dataset["copy"] ?? "");
  if (source === null) return;
  button.hidden = false;
  if (source instanceof HTMLInputElement)
    source.addEventListener("focus", () => {
      source.select();
    });
  button.addEventListener("click", () => {
    void copy(source, button);
  });
}

async function copy(source: HTMLElement, button: HTMLButtonElement) {
  try {
    await navigator.clipboard.writeText(source instanceof HTMLInputElement ? source.value : source.innerText);
    button.textContent = "Copied";
  } catch {
    // If the clipboard is not available, the input's text is selected for copying by hand.
    source.focus();
  }
}

/**
 * Scrolls the navigation sideways to the current section if it does not fit. `scrollIntoView` would also move where the Tab key begins.
 */
export function showSection(link: HTMLElement) {
  const sections = link.closest(".sections");
  if (sections === null) return;
  const show = () => {
    sections.scrollLeft = link.offsetLeft - (sections.clientWidth - link.offsetWidth) / 2;
  };
  show();
  window.addEventListener("resize", show);
}
