import { startCopy } from "./docs-copy.js";
import { startKey } from "./docs-key.js";
import { startSearch } from "./docs-search.js";
import { startTabs } from "./docs-tabs.js";
import { startTryIt } from "./docs-try-it.js";

const contents = document.querySelector("details.contents");
if (contents instanceof HTMLDetailsElement && matchMedia("(max-width: 60rem)").matches) contents.open = false;
startTabs();
startKey();
startCopy();
startSearch();
startTryIt();
