// The list of media: files are selected in it.
import { enhanceEach } from "./enhance.ts";
import { REFRESHED } from "./refresh.ts";
import { offerSelection } from "./selection.ts";

function enhanceList() {
  enhanceEach("form[data-selection]", HTMLFormElement, offerSelection);
}

enhanceList();
document.addEventListener(REFRESHED, enhanceList);
