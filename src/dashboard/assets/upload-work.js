import { need } from "./upload-elements.js";
import { createEta } from "./upload-eta.js";
import { isOpen } from "./upload-follow.js";
import { isForReview, isUnsent } from "./upload-queue.js";
import { shownFiles, shownSize, timeLeft } from "./upload-words.js";

/** The service puts so many files into one archive. */
const MOST_IN_ZIP = 500;

/** @typedef {import("./upload-queue.js").Upload} Upload */

/**
 * Shows how far all files are: one bar of which sending is one half and redacting the other, and the same in words.
 *
 * @param {HTMLElement} form
 * @param {string} batchId The upload that these files belong to, perhaps with others that were sent before.
 * @param {(text: string) => void} say Tells whoever cannot see the page, at turning points only.
 */
export function createWork(form, batchId, say) {
  const section = need(form, "[data-work]", HTMLElement);
  const title = need(section, "[data-work-title]", HTMLElement);
  const bar = need(section, "[data-total]", HTMLProgressElement);
  const figures = need(section, "[data-figures]", HTMLElement);
  const pauseBox = need(section, "[data-pause]", HTMLElement);
  const pauseText = need(section, "[data-pause-text]", HTMLElement);
  const results = need(section, "[data-results]", HTMLElement);
  const zip = need(section, "[data-zip]", HTMLButtonElement);
  const zipIds = need(document, "[data-zip-ids]", HTMLElement);
  const toReview = need(section, "[data-to-review]", HTMLButtonElement);
  const startReview = need(section, "[data-start-review]", HTMLAnchorElement);
  const cancelAll = need(section, "[data-cancel-all]", HTMLButtonElement);
  const retryAll = need(section, "[data-retry-all]", HTMLButtonElement);
  const sending = createEta();
  const redacting = createEta();
  let said = "";

  /** @param {string} text */
  const sayOnce = (text) => {
    if (text !== said) say(text);
    said = text;
  };

  return {
    section,
    title,
    /** @param {readonly Upload[]} uploads */
    show(uploads) {
      const counts = countsOf(uploads);
      const { wanted, unsent, open, done, failed, bytes, sentBytes } = counts;
      section.hidden = uploads.length === 0;
      const isAnalysis = wanted.length > 0 && wanted.every(isForReview);
      const stage =
        unsent > 0 ? "Uploading" : open > 0 ? (isAnalysis ? "Analyzing" : "Redacting") : "Finished";
      title.textContent = unsent + open > 0 ? `${stage} ${shownFiles(wanted)}` : endOf(counts);
      bar.value =
        shareOf(sentBytes, bytes + counts.refusedBytes) / 2 +
        shareOf(counts.redacted, wanted.length + counts.refused) / 2;
      const left =
        unsent > 0
          ? sending.left(sentBytes, bytes)
          : open > 0
            ? redacting.left(counts.redacted, wanted.length)
            : undefined;
      if (unsent > 0) redacting.reset();
      figures.textContent = [
        `${counts.uploaded} of ${wanted.length + counts.refused} uploaded`,
        ...(unsent > 0 ? [`${shownSize(sentBytes)} of ${shownSize(bytes)}`] : []),
        `${done} done`,
        ...(failed > 0 ? [`${failed} failed`] : []),
        ...(counts.refused > 0 ? [`${counts.refused} not sent`] : []),
        ...(counts.cancelled > 0 ? [`${counts.cancelled} cancelled`] : []),
        ...(left === undefined ? [] : [timeLeft(left)]),
      ].join(" · ");
      cancelAll.hidden = unsent === 0;
      retryAll.hidden = uploads.every(({ progress }) => progress.kind !== "refused" || !progress.canRetry);
      results.hidden = unsent + open > 0 || done === 0;
      const outputs = uploads.filter(({ progress }) => progress.kind === "completed" && progress.hasOutput);
      zip.hidden = outputs.length === 0;
      toReview.hidden = outputs.length === 0;
      startReview.hidden = !counts.completed.some(isForReview);
      if (!results.hidden)
        zipIds.replaceChildren(
          hidden("batch", batchId),
          ...outputs.slice(-MOST_IN_ZIP).map(({ mediaId = "" }) => hidden("id", mediaId)),
        );
      need(zip, "span", HTMLElement).textContent =
        outputs.length > MOST_IN_ZIP ? `Download the last ${MOST_IN_ZIP} as ZIP` : "Download all as ZIP";
      if (uploads.length === 0) return;
      if (unsent > 0) sayOnce(`Uploading ${shownFiles(wanted)}.`);
      else if (open > 0)
        sayOnce(
          `All files are uploaded and are being ${isAnalysis ? "analyzed" : "redacted"}. You can leave this page.`,
        );
      else sayOnce(`${endOf(counts)}.`);
    },
    /** @param {import("./upload-gate.js").Pause | undefined} pause */
    pause(pause) {
      pauseBox.hidden = pause === undefined;
      if (pause === undefined) return;
      pauseText.textContent = `${pause.why} The upload continues in ${pause.seconds} s.`;
      sending.reset();
      sayOnce(`Paused. ${pause.why} The upload continues by itself.`);
    },
  };
}

/**
 * @param {number} done
 * @param {number} all
 */
function shareOf(done, all) {
  return all === 0 ? 0 : done / all;
}

/**
 * How much of a file is sent, from 0 to 1.
 *
 * @param {Upload} upload
 */
function sentShareOf({ progress, mediaId }) {
  if (mediaId !== undefined || progress.kind === "storing") return 1;
  return progress.kind === "sending" ? progress.share : 0;
}

/**
 * How much of the work on a file is done, from 0 to 1.
 *
 * @param {Upload} upload
 */
function redactedShareOf({ progress }) {
  if (progress.kind === "processing") return progress.share ?? 0;
  return ["completed", "failed", "gone"].includes(progress.kind) ? 1 : 0;
}

/** @param {readonly Upload[]} uploads */
function countsOf(uploads) {
  const is = (/** @type {string} */ kind) => uploads.filter(({ progress }) => progress.kind === kind).length;
  const wanted = uploads.filter(
    ({ progress: { kind } }) => !["refused", "cancelled", "cancelling"].includes(kind),
  );
  return {
    wanted,
    unsent: uploads.filter(isUnsent).length,
    open: uploads.filter(isOpen).length,
    uploaded: wanted.filter(({ mediaId }) => mediaId !== undefined).length,
    completed: uploads.filter(({ progress }) => progress.kind === "completed"),
    done: is("completed"),
    failed: is("failed"),
    refused: is("refused"),
    cancelled: is("cancelled") + is("cancelling"),
    bytes: wanted.reduce((sum, { file }) => sum + file.size, 0),
    refusedBytes: uploads.reduce(
      (sum, { file, progress }) => sum + (progress.kind === "refused" ? file.size : 0),
      0,
    ),
    sentBytes: wanted.reduce((sum, upload) => sum + upload.file.size * sentShareOf(upload), 0),
    redacted: wanted.reduce((sum, upload) => sum + redactedShareOf(upload), 0),
  };
}

/** @param {ReturnType<typeof countsOf>} counts */
function endOf({ completed, done, failed, refused, cancelled }) {
  const parts = [
    ...(done > 0
      ? [`${shownFiles(completed)} ${completed.every(isForReview) ? "ready for review" : "done"}`]
      : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(refused > 0 ? [`${refused} not sent`] : []),
    ...(cancelled > 0 && done + failed + refused === 0 ? ["Cancelled"] : []),
  ];
  return parts.join(", ") || "Finished";
}

/**
 * @param {string} name
 * @param {string} value
 */
function hidden(name, value) {
  const input = document.createElement("input");
  input.type = "hidden";
  input.name = name;
  input.value = value;
  return input;
}
