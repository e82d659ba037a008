import { startCopy } from "./docs-copy.ts";
import { startKey } from "./docs-key.ts";
import { startSearch } from "./docs-search.ts";
import { startTabs } from "./docs-tabs.ts";
import { startTryIt } from "./docs-try-it.ts";

const contents = document.querySelector("details.contents");
if (contents instanceof HTMLDetailsElement && matchMedia("(max-width: 60rem)").matches) contents.open = false;
startTabs();
startKey();
startCopy();
startSearch();
startTryIt();
