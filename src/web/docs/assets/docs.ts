import { startKey } from "./docs-key.ts";
import { startSearch } from "./docs-search.ts";
import { startTabs } from "./docs-tabs.ts";
import { startTryIt } from "./docs-try-it.ts";

const SHOWN_MS = 2000;

/** Gives every block of code a button that copies it. */
function startCopy() {
  for (const block of document.querySelectorAll("main pre")) {
    if (block instanceof HTMLElement) offerCopy(block);
  }
}

function offerCopy(block: HTMLElement) {
  const frame = document.createElement("div");
  frame.className = "copied";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  block.replaceWith(frame);
  frame.append(block, button);
  button.addEventListener("click", () => void copy(block, button));
}

async function copy(block: HTMLElement, button: HTMLButtonElement) {
  try {
    await navigator.clipboard.writeText(block.textContent.replace(/\n$/, ""));
    button.textContent = "Copied";
  } catch {
    // If the clipboard is not available, the text is selected for copying by hand.
    getSelection()?.selectAllChildren(block);
    button.textContent = "Selected: press Ctrl C";
  }
  setTimeout(() => {
    button.textContent = "Copy";
  }, SHOWN_MS);
}

const contents = document.querySelector("details.contents");
if (contents instanceof HTMLDetailsElement && matchMedia("(max-width: 60rem)").matches) contents.open = false;
startTabs();
startKey();
startCopy();
startSearch();
startTryIt();
