// The media list, in which files can be selected.
import { enhanceEach } from "./enhance.ts";
import { REFRESHED } from "./refresh.ts";
import { offerSelection } from "./selection.ts";

function enhanceList() {
  enhanceEach("form[data-selection]", HTMLFormElement, offerSelection);
}

enhanceList();
document.addEventListener(REFRESHED, enhanceList);
