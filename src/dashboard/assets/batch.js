// The page of files that were uploaded together: names what this browser has not sent.
import { enhanceEach } from "./enhance.js";
import { keepUnsent, unsentOf } from "./upload-batch.js";
import { need } from "./upload-elements.js";
import { counted } from "./upload-words.js";

const MOST_NAMES = 20;

/** @param {HTMLElement} section */
function nameUnsent(section) {
  const batchId = section.dataset["unsent"] ?? "";
  const paths = unsentOf(batchId);
  if (paths.length === 0) return;
  need(section, "[data-unsent-text]", HTMLElement).textContent =
    `${counted(paths.length, "file")} of this upload ${paths.length === 1 ? "was" : "were"} not sent before the page was loaded again.`;
  const more = paths.length - MOST_NAMES;
  const names = [...paths.slice(0, MOST_NAMES), ...(more > 0 ? [`and ${more} more`] : [])];
  need(section, "[data-unsent-names]", HTMLElement).replaceChildren(
    ...names.map((name) => {
      const item = document.createElement("li");
      item.textContent = name;
      return item;
    }),
  );
  need(section, "[data-unsent-forget]", HTMLElement).addEventListener("click", () => {
    keepUnsent(batchId, []);
    section.hidden = true;
  });
  section.hidden = false;
}

enhanceEach("section[data-unsent]", HTMLElement, nameUnsent);
