// Two versions of a file side by side. Photos are zoomed and moved together; videos play together.
import { followFilm } from "./compare-videos.ts";
import { offerSteps } from "./compare-zoom.ts";
import { enhanceEach } from "./elements.ts";

/** Zooms two pictures together and lets them show the same part. */
function zoomTogether(compare: HTMLElement) {
  const panes = [...compare.querySelectorAll(".pane")].filter((pane) => pane instanceof HTMLElement);
  for (const pane of panes) {
    pane.addEventListener("scroll", () => {
      for (const other of panes) if (other !== pane) moveLike(other, pane);
    });
    moveByDrag(pane);
  }
  offerSteps(compare, (share) => {
    for (const pane of panes) zoomPane(pane, share);
  });
}

/** Zooms one pane and keeps its center in place. */
function zoomPane(pane: HTMLElement, share: number) {
  const image = pane.querySelector("img");
  if (image === null) return;
  const x = (pane.scrollLeft + pane.clientWidth / 2) / pane.scrollWidth;
  const y = (pane.scrollTop + pane.clientHeight / 2) / pane.scrollHeight;
  const isZoomed = share > 1;
  pane.classList.remove("larger");
  pane.style.height = "";
  image.style.width = "";
  const [width, height] = [image.clientWidth, pane.offsetHeight];
  pane.classList.toggle("larger", isZoomed);
  if (isZoomed) {
    pane.style.height = `${height}px`;
    image.style.width = `${width * share}px`;
    pane.tabIndex = 0;
    pane.setAttribute("role", "region");
    pane.setAttribute("aria-label", `${image.alt}, zoomed`);
    pane.scrollTo(x * pane.scrollWidth - pane.clientWidth / 2, y * pane.scrollHeight - pane.clientHeight / 2);
  } else {
    for (const name of ["tabindex", "role", "aria-label"]) pane.removeAttribute(name);
  }
}

function moveLike(pane: HTMLElement, like: HTMLElement) {
  const left = shareOf(like.scrollLeft, like.scrollWidth - like.clientWidth);
  const top = shareOf(like.scrollTop, like.scrollHeight - like.clientHeight);
  const x = Math.round(left * (pane.scrollWidth - pane.clientWidth));
  const y = Math.round(top * (pane.scrollHeight - pane.clientHeight));
  // Setting the same position again would cause another scroll event.
  if (Math.abs(pane.scrollLeft - x) > 1 || Math.abs(pane.scrollTop - y) > 1) pane.scrollTo(x, y);
}

function shareOf(part: number, whole: number) {
  return whole <= 0 ? 0 : part / whole;
}

/** Lets the mouse drag a zoomed picture. Browsers already scroll it by touch. */
function moveByDrag(pane: HTMLElement) {
  pane.addEventListener("pointermove", ({ buttons, pointerType, movementX, movementY }) => {
    if (pointerType === "mouse" && (buttons & 1) === 1) pane.scrollBy(-movementX, -movementY);
  });
  pane.addEventListener("dragstart", (event) => {
    event.preventDefault();
  });
}

enhanceEach("[data-side-by-side]", HTMLElement, zoomTogether);
enhanceEach("[data-together]", HTMLElement, (compare) => {
  const [left, right] = compare.querySelectorAll("video");
  if (left === undefined || right === undefined) return;
  left.controls = false;
  followFilm(right, left);
});
