/** Lays the original over the redacted picture, divided by a line that a slider, a finger or the mouse moves. */
export function slideOver(compare: HTMLElement) {
  const row = compare.querySelector(".slider");
  const range = compare.querySelector("input[type=range]");
  const views = compare.querySelector(".views");
  const under = compare.querySelector("figure:not(.before) .picture");
  const before = compare.querySelector(".before img");
  if (
    !(row instanceof HTMLElement) ||
    !(range instanceof HTMLInputElement) ||
    !(views instanceof HTMLElement) ||
    !(before instanceof HTMLImageElement) ||
    under === null
  ) {
    return;
  }
  // Without its original there is nothing to compare with.
  before.addEventListener("error", () => {
    compare.classList.remove("sliding");
    row.hidden = true;
    before.closest("figure")?.remove();
  });
  compare.classList.add("sliding");
  row.hidden = false;
  const line = document.createElement("span");
  line.className = "line";
  before.closest("figure")?.append(line);
  const show = () => {
    views.style.setProperty("--share", `${range.value}%`);
    line.hidden = range.value === "0";
  };
  range.addEventListener("input", show);
  show();
  const follow = (event: MouseEvent) => {
    const area = under.getBoundingClientRect();
    range.value = String(Math.round(((event.clientX - area.left) / area.width) * 100));
    show();
  };
  views.addEventListener("click", follow);
  let start = { x: 0, y: 0 };
  let isSliding = false;
  views.addEventListener("pointerdown", ({ clientX, clientY, pointerType }) => {
    start = { x: clientX, y: clientY };
    isSliding = pointerType === "mouse";
  });
  views.addEventListener("pointermove", (event) => {
    const isPressed = (event.buttons & 1) === 1;
    if (!isPressed) return;
    // A finger that moves up or down scrolls the page.
    isSliding ||= Math.abs(event.clientX - start.x) > Math.abs(event.clientY - start.y);
    if (!isSliding) return;
    // The line stays at the edge while a drag is outside the picture. Browsers capture touch pointers themselves.
    if (event.pointerType === "mouse") views.setPointerCapture(event.pointerId);
    follow(event);
  });
  views.addEventListener("dragstart", (event) => {
    event.preventDefault();
  });
}

/** Lets a checkbox hide and show the boxes of its category. */
export function switchBoxes(checkbox: HTMLInputElement) {
  checkbox.addEventListener("change", () => {
    for (const group of document.querySelectorAll(`[data-category="${checkbox.dataset["boxes"]}"]`)) {
      group.classList.toggle("off", !checkbox.checked);
    }
  });
}
