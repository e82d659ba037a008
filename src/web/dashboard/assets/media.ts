// The page of one media item: its result beside the original.
import { slideOver, switchBoxes } from "./compare.ts";
import { pointOut } from "./compare-things.ts";
import { offerZoom } from "./compare-zoom.ts";
import { enhanceEach } from "./elements.ts";
import { playFilm } from "./film-player.ts";
import { showTimes } from "./hidden-times.ts";
import { REFRESHED } from "./refresh.ts";

function enhanceResult() {
  enhanceEach("details[data-menu]", HTMLDetailsElement, closeMenu);
  enhanceEach("[data-compare]", HTMLElement, slideOver);
  enhanceEach("[data-film-player]", HTMLElement, playFilm);
  enhanceEach("[data-picture]", HTMLElement, ({ parentElement: compare }) => {
    if (compare === null) return;
    pointOut(compare);
    offerZoom(compare);
  });
  enhanceEach("[data-times]", HTMLElement, showTimes);
  enhanceEach("[data-boxes]", HTMLInputElement, switchBoxes);
}

/** Opens the next or previous file with the keys of the review queue. */
function followKey({ key, target, ctrlKey, metaKey, altKey, repeat }: KeyboardEvent) {
  if (ctrlKey || metaKey || altKey || repeat) return;
  if (target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null)
    return;
  const rel = { j: "next", k: "prev" }[key.toLowerCase()];
  const link = rel === undefined ? null : document.querySelector(`.beside a[rel="${rel}"]`);
  if (link instanceof HTMLAnchorElement) window.location.assign(link.href);
}

document.addEventListener("keydown", followKey);
enhanceResult();
document.addEventListener(REFRESHED, enhanceResult);

/** Closes a menu with the Escape key, and when something else is clicked or focused. */
function closeMenu(menu: HTMLDetailsElement) {
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  for (const kind of ["pointerdown", "focusin"]) {
    document.addEventListener(kind, ({ target }) => {
      if (target instanceof Node && !menu.contains(target)) menu.open = false;
    });
  }
}
