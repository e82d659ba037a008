import { droppedEntries, holdsFiles, walkDrop } from "./dropped-files.js";
import { followPage, refreshPage } from "./refresh.js";
import { createUploadQueue } from "./upload-queue.js";

const MOST_NAMES = 20;

/**
 * Uploads what is chosen in the form or dropped anywhere on its page.
 *
 * @param {HTMLFormElement} form
 */
export function enhanceUploadForm(form) {
  const zone = form.querySelector(".drop");
  const input = form.querySelector("input[type=file]");
  const list = form.querySelector(".uploads");
  const summary = form.querySelector("[data-summary]");
  if (zone === null || list === null || summary === null || !(input instanceof HTMLInputElement)) return;
  const target = form.dataset["upload"] ?? "";
  const queue = createUploadQueue({
    url: target,
    csrfToken: form.dataset["csrf"] ?? "",
    maxFileBytes: Number(form.dataset["maxBytes"]),
    list,
    onStart: () => {
      form.toggleAttribute("data-live", true);
      window.addEventListener("beforeunload", warnOfLoss);
      void followPage();
    },
    onChange: () => {
      summary.textContent = summaryOf(queue);
    },
    onPause: (why, seconds) => {
      summary.textContent = `${summaryOf(queue)}. ${why} The upload continues in ${seconds} s.`;
    },
    onEnd: () => {
      form.toggleAttribute("data-live", false);
      window.removeEventListener("beforeunload", warnOfLoss);
      const [only] = queue.mediaIds;
      // One photo is followed to its result. Somebody who is choosing the next ones stays.
      if (list.childElementCount === 1 && only !== undefined && !isChoosing()) {
        window.location.assign(`${target}/${only}`);
      } else {
        void refreshPage().then(followPage);
      }
    },
  });
  form.hidden = false;
  form.parentElement?.querySelector("[data-without-script]")?.remove();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
  });
  const isInDialog = offerDialog(input, (files) => {
    const choices = choicesOf(form);
    for (const file of files) queue.add({ file, path: file.name }, choices);
  });
  const isDragging = offerDrop(zone, (transfer) => {
    const choices = choicesOf(form);
    const entries = droppedEntries(transfer);
    void queue.during(async () => {
      /** @type {{ unreadable: string[], other_type: string[] }} */
      const skipped = { unreadable: [], other_type: [] };
      for await (const found of walkDrop(entries)) {
        if ("file" in found) queue.add(found, choices);
        else skipped[found.skipped].push(found.path);
      }
      if (skipped.unreadable.length > 0) addSkipped(list, "Skipped, not readable", skipped.unreadable);
      if (skipped.other_type.length > 0)
        addSkipped(list, "Skipped, not a photo or video", skipped.other_type);
    });
  });
  const isChoosing = () => isInDialog() || isDragging();
}

/** @param {BeforeUnloadEvent} event */
function warnOfLoss(event) {
  event.preventDefault();
}

/**
 * What the form says now, as it will be sent and as a person reads it.
 *
 * @param {HTMLFormElement} form
 * @returns {import("./upload-queue.js").Choices}
 */
function choicesOf(form) {
  const labelsOf = (/** @type {string} */ type) =>
    [...form.querySelectorAll(`input[type=${type}]:checked`)]
      .map((input) => input.closest("label")?.textContent.trim())
      .join(", ");
  return {
    fields: [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === "string" ? [/** @type {const} */ ([name, value])] : [],
    ),
    text: `${labelsOf("checkbox") || "No category"} · ${labelsOf("radio")}`,
  };
}

/**
 * Hands over the files that are chosen in the browser's dialog.
 *
 * @param {HTMLInputElement} input
 * @param {(files: readonly File[]) => void} take
 * @returns {() => boolean} Whether the dialog is open.
 */
function offerDialog(input, take) {
  let isOpen = false;
  input.addEventListener("click", () => {
    isOpen = true;
  });
  input.addEventListener("cancel", () => {
    isOpen = false;
  });
  input.addEventListener("change", () => {
    isOpen = false;
    take([...(input.files ?? [])]);
    input.value = "";
  });
  return () => isOpen;
}

/**
 * Hands over what is dropped anywhere on the page.
 *
 * @param {Element} zone Shows that a drop is welcome.
 * @param {(transfer: DataTransfer) => void} take
 * @returns {() => boolean} Whether files are held over the page.
 */
function offerDrop(zone, take) {
  let isOver = false;
  /** @param {boolean} isNow */
  const show = (isNow) => {
    isOver = isNow;
    zone.classList.toggle("over", isNow);
  };
  for (const kind of /** @type {const} */ (["dragenter", "dragover"])) {
    document.addEventListener(kind, (event) => {
      if (!holdsFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      zone.closest("details")?.setAttribute("open", "");
      show(true);
    });
  }
  document.addEventListener("dragleave", (event) => {
    // Only a drag that leaves the window has nothing that it goes on to.
    if (event.relatedTarget === null) show(false);
  });
  document.addEventListener("drop", (event) => {
    show(false);
    if (!holdsFiles(event) || event.dataTransfer === null) return;
    event.preventDefault();
    take(event.dataTransfer);
  });
  return () => isOver;
}

/** @param {ReturnType<typeof createUploadQueue>} queue */
function summaryOf({ counts: { taken, refused }, mediaIds }) {
  const refusal = refused === 0 ? "" : `, ${refused} refused`;
  return `${mediaIds.length} of ${taken} uploaded${refusal}`;
}

/**
 * Names files that were dropped and are not sent.
 *
 * @param {Element} list
 * @param {string} why
 * @param {readonly string[]} paths
 */
function addSkipped(list, why, paths) {
  const row = document.createElement("li");
  const title = document.createElement("span");
  title.textContent = why;
  const names = document.createElement("small");
  const more = paths.length > MOST_NAMES ? ` and ${paths.length - MOST_NAMES} more` : "";
  names.textContent = `${paths.slice(0, MOST_NAMES).join(", ")}${more}`;
  row.append(title, names);
  list.append(row);
}
