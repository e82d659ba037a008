/**
 * Shows a moment in the reader's own time zone.
 *
 * @param {HTMLTimeElement} element
 */
export function showLocalTime(element) {
  const moment = new Date(element.dateTime);
  element.textContent = moment.toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
  element.title = moment.toISOString();
}

/**
 * Asks before a form is sent.
 *
 * @param {HTMLFormElement} form
 */
export function askFirst(form) {
  form.addEventListener("submit", (event) => {
    if (!window.confirm(form.dataset["confirm"])) event.preventDefault();
  });
}

/**
 * Makes a button print the page.
 *
 * @param {HTMLButtonElement} button
 */
export function offerPrint(button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    window.print();
  });
}

/**
 * Makes a button copy the text of an input.
 *
 * @param {HTMLButtonElement} button
 */
export function offerCopy(button) {
  const input = document.getElementById(button.dataset["copy"] ?? "");
  if (!(input instanceof HTMLInputElement)) return;
  button.hidden = false;
  input.addEventListener("focus", () => {
    input.select();
  });
  button.addEventListener("click", () => {
    void copy(input, button);
  });
}

/**
 * @param {HTMLInputElement} input
 * @param {HTMLButtonElement} button
 */
async function copy(input, button) {
  try {
    await navigator.clipboard.writeText(input.value);
    button.textContent = "Copied";
  } catch {
    // Where the clipboard is out of reach, the text is selected to be copied by hand.
    input.focus();
  }
}

/**
 * Scrolls the sections sideways to the current one, where they have no room. Scrolling it into view would also move
 * where the tabulator key begins.
 *
 * @param {HTMLElement} link
 */
export function showSection(link) {
  const sections = link.closest(".sections");
  if (sections === null) return;
  const show = () => {
    sections.scrollLeft = link.offsetLeft - (sections.clientWidth - link.offsetWidth) / 2;
  };
  show();
  window.addEventListener("resize", show);
}
