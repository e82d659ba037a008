import { need } from "./elements.ts";
import { createEta } from "./upload-eta.ts";
import { isOpen } from "./upload-follow.ts";
import { isForReview, isUnsent } from "./upload-queue.ts";
import { shownFiles, shownSize, timeLeft } from "./upload-words.ts";
import type { Upload } from "./upload-queue.ts";
import type { Pause } from "./upload-gate.ts";

/** The most files in one archive. */
const MOST_IN_ZIP = 500;

/**
 * Shows the progress of all files in one bar and in words. Sending is one half of the bar, redacting the other.
 *
 * @param batchId The upload of these files, perhaps with others that were sent before.
 * @param say Announces milestones to screen readers.
 */
export function createWork(form: HTMLElement, batchId: string, say: (text: string) => void) {
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

  const sayOnce = (text: string) => {
    if (text !== said) say(text);
    said = text;
  };

  return {
    section,
    title,
    show(uploads: readonly Upload[]) {
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
    pause(pause: Pause | undefined) {
      pauseBox.hidden = pause === undefined;
      if (pause === undefined) return;
      pauseText.textContent = `${pause.why} The upload continues in ${pause.seconds} s.`;
      sending.reset();
      sayOnce(`Paused. ${pause.why} The upload continues by itself.`);
    },
  };
}

function shareOf(done: number, all: number) {
  return all === 0 ? 0 : done / all;
}

/** How much of a file is sent, from 0 to 1. */
function sentShareOf({ progress, mediaId }: Upload) {
  if (mediaId !== undefined || progress.kind === "storing") return 1;
  return progress.kind === "sending" ? progress.share : 0;
}

/** How much of the work on a file is done, from 0 to 1. */
function redactedShareOf({ progress }: Upload) {
  if (progress.kind === "processing") return progress.share ?? 0;
  return ["completed", "failed", "gone"].includes(progress.kind) ? 1 : 0;
}

function countsOf(uploads: readonly Upload[]) {
  const is = (kind: string) => uploads.filter(({ progress }) => progress.kind === kind).length;
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

function endOf({ completed, done, failed, refused, cancelled }: ReturnType<typeof countsOf>) {
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

function hidden(name: string, value: string) {
  const input = document.createElement("input");
  input.type = "hidden";
  input.name = name;
  input.value = value;
  return input;
}
