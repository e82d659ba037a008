const STEPS = [1, 1.5, 2, 3, 4, 6, 8];

/** Enlarges a picture inside a scrolling frame. */
export function offerZoom(compare: HTMLElement) {
  const views = compare.querySelector(".views");
  if (!(views instanceof HTMLElement)) return;
  offerSteps(compare, (share) => {
    const isZoomed = share > 1;
    const images = [...views.querySelectorAll("img")];
    // The center stays in place.
    const x = (views.scrollLeft + views.clientWidth / 2) / views.scrollWidth;
    const y = (views.scrollTop + views.clientHeight / 2) / views.scrollHeight;
    for (const image of images) image.style.width = "";
    compare.classList.remove("zoomed");
    const widths = images.map((image) => image.clientWidth);
    compare.classList.toggle("zoomed", isZoomed);
    if (isZoomed) {
      for (const [index, image] of images.entries()) image.style.width = `${(widths[index] ?? 0) * share}px`;
      views.tabIndex = 0;
      views.setAttribute("role", "region");
      views.setAttribute("aria-label", "Zoomed picture");
      views.scrollTo(
        x * views.scrollWidth - views.clientWidth / 2,
        y * views.scrollHeight - views.clientHeight / 2,
      );
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) views.removeAttribute(name);
    }
  });
}

/**
 * Shows the buttons that zoom step by step.
 *
 * @param zoom Shows the pictures at this many times their size.
 */
export function offerSteps(compare: HTMLElement, zoom: (share: number) => void) {
  const steps = compare.querySelector(".zoom-steps");
  const shown = compare.querySelector(".zoom output");
  if (!(steps instanceof HTMLElement) || shown === null) return;
  steps.hidden = false;
  let step = 0;
  const show = () => {
    const share = STEPS[step] ?? 1;
    zoom(share);
    shown.textContent = `${share * 100}%`;
    for (const button of steps.querySelectorAll("button")) {
      const isOff = button.dataset["zoom"] === "in" ? step === STEPS.length - 1 : step === 0;
      // A disabled button would lose the focus.
      button.setAttribute("aria-disabled", String(isOff));
    }
  };
  for (const button of steps.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const { zoom: direction } = button.dataset;
      if (direction === "fit") step = 0;
      else step = Math.min(STEPS.length - 1, Math.max(0, step + (direction === "in" ? 1 : -1)));
      show();
    });
  }
  show();
}
