// The list of media: files are selected in it.
import { enhanceEach } from "./enhance.js";
import { REFRESHED } from "./refresh.js";
import { offerSelection } from "./selection.js";

function enhanceList() {
  enhanceEach("form[data-selection]", HTMLFormElement, offerSelection);
}

enhanceList();
document.addEventListener(REFRESHED, enhanceList);
