// The page of files that were uploaded together. Lists the files that this browser has not sent.
import { compareWithArrived, nameFiles, unsentOf } from "./upload-arrived.ts";
import { keepUnsent } from "./upload-kept.ts";
import { need, enhanceEach } from "./elements.ts";
import { listRefused } from "./upload-refused.ts";
import { counted } from "./upload-words.ts";

/** Files that were being sent when the page was closed may arrive a little later. */
const ASK_AGAIN_MS = [0, 2_000, 5_000, 15_000];

async function nameUnsent(section: HTMLElement) {
  const batchId = section.dataset["unsent"] ?? "";
  let isLeftOut = false;
  need(section, "[data-unsent-forget]", HTMLElement).addEventListener("click", () => {
    isLeftOut = true;
    keepUnsent(batchId, []);
    section.hidden = true;
  });
  for (const waitMs of ASK_AGAIN_MS) {
    await new Promise((resolve) => {
      window.setTimeout(resolve, waitMs);
    });
    const unsent = unsentOf(batchId);
    const { missing } = unsent.length === 0 ? { missing: unsent } : await compareWithArrived(batchId, unsent);
    if (isLeftOut) return;
    keepUnsent(batchId, missing);
    section.hidden = missing.length === 0;
    if (missing.length === 0) return;
    const files = counted(missing.length, "file");
    const [were, those] = missing.length === 1 ? ["was", "that one"] : ["were", "those"];
    const isRefusedOnly = missing.every(({ why }) => why !== undefined);
    need(section, "[data-unsent-text]", HTMLElement).textContent = isRefusedOnly
      ? `${files} ${were} not sent. To try again, choose ${missing.length === 1 ? "it" : "them"} again.`
      : `The page was reloaded before ${files} ${were} sent. Choose the folder again; only ${those} will be sent.`;
    nameFiles(need(section, "[data-unsent-names]", HTMLElement), missing);
  }
}

enhanceEach("section[data-unsent]", HTMLElement, (section) => void nameUnsent(section));
enhanceEach("[data-refused]", HTMLElement, (place) => {
  listRefused(place, place.dataset["refused"]);
});
