// Makes pages pleasanter where scripts run. The modules beside this one are sent as they stand, less comments and indentation.
import { askFirst, offerCopy, offerPrint, showLocalTime, showSection } from "./page-behaviors.ts";
import { refuseFileDrops } from "./dropped-files.ts";
import { enhanceEach } from "./elements.ts";
import { REFRESHED, followPage } from "./refresh.ts";

function enhancePage() {
  enhanceEach("time", HTMLTimeElement, showLocalTime);
  enhanceEach("form[data-confirm]", HTMLFormElement, askFirst);
  enhanceEach("button[data-copy]", HTMLButtonElement, offerCopy);
  enhanceEach("button[data-print]", HTMLButtonElement, offerPrint);
}

// The form for uploads takes drops itself.
if (document.querySelector("form[data-upload]") === null) refuseFileDrops();
enhancePage();
enhanceEach(".sections [aria-current]", HTMLElement, showSection);
document.addEventListener(REFRESHED, enhancePage);
void followPage();
