// The page of one media: its result beside the original.
import { slideOver, switchBoxes } from "./compare.js";
import { pointOut } from "./compare-things.js";
import { offerZoom } from "./compare-zoom.js";
import { enhanceEach } from "./enhance.js";
import { playFilm } from "./film-player.js";
import { showTimes } from "./hidden-times.js";
import { closeMenu } from "./menus.js";
import { REFRESHED } from "./refresh.js";

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

/** Leads to the file beside this one, by the keys of the review queue. @param {KeyboardEvent} event */
function followKey({ key, target, ctrlKey, metaKey, altKey, repeat }) {
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
