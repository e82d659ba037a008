// Makes pages pleasanter where scripts run. The modules beside this one are sent as they stand.
import { slideOver, switchBoxes } from "./compare.js";
import { playTogether } from "./compare-videos.js";
import { askFirst, offerCopy, showLocalTime, showSection } from "./conveniences.js";
import { refuseFileDrops } from "./dropped-files.js";
import { enhanceEach } from "./enhance.js";
import { REFRESHED, followPage } from "./refresh.js";
import { offerSelection } from "./selection.js";
import { enhanceUploadForm } from "./upload-form.js";

function enhancePage() {
  enhanceEach("time", HTMLTimeElement, showLocalTime);
  enhanceEach("form[data-confirm]", HTMLFormElement, askFirst);
  enhanceEach("button[data-copy]", HTMLButtonElement, offerCopy);
  enhanceEach("[data-compare]", HTMLElement, slideOver);
  enhanceEach("[data-together]", HTMLElement, playTogether);
  enhanceEach("[data-boxes]", HTMLInputElement, switchBoxes);
  enhanceEach("form[data-selection]", HTMLFormElement, offerSelection);
  enhanceEach("form[data-upload]", HTMLFormElement, enhanceUploadForm);
}

refuseFileDrops();
enhancePage();
enhanceEach(".sections [aria-current]", HTMLElement, showSection);
document.addEventListener(REFRESHED, enhancePage);
void followPage();
