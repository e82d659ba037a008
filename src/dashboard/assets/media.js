// The page of one media: its result beside the original.
import { slideOver, switchBoxes } from "./compare.js";
import { pointOut } from "./compare-things.js";
import { playTogether } from "./compare-videos.js";
import { offerZoom } from "./compare-zoom.js";
import { enhanceEach } from "./enhance.js";
import { showTimes } from "./hidden-times.js";
import { REFRESHED } from "./refresh.js";

function enhanceResult() {
  enhanceEach("[data-compare]", HTMLElement, slideOver);
  enhanceEach("[data-together]", HTMLElement, playTogether);
  enhanceEach("[data-picture]", HTMLElement, ({ parentElement: compare }) => {
    if (compare === null) return;
    pointOut(compare);
    offerZoom(compare);
  });
  enhanceEach("[data-times]", HTMLElement, showTimes);
  enhanceEach("[data-boxes]", HTMLInputElement, switchBoxes);
}

enhanceResult();
document.addEventListener(REFRESHED, enhanceResult);
