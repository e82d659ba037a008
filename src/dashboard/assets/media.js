// The page of one media: its result beside the original.
import { slideOver, switchBoxes } from "./compare.js";
import { playTogether } from "./compare-videos.js";
import { enhanceEach } from "./enhance.js";
import { REFRESHED } from "./refresh.js";

function enhanceResult() {
  enhanceEach("[data-compare]", HTMLElement, slideOver);
  enhanceEach("[data-together]", HTMLElement, playTogether);
  enhanceEach("[data-boxes]", HTMLInputElement, switchBoxes);
}

enhanceResult();
document.addEventListener(REFRESHED, enhanceResult);
