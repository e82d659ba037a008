import { createBatch } from "./upload-batch.js";
import { createFollower } from "./upload-follow.js";
import { createGate } from "./upload-gate.js";
import { need } from "./upload-elements.js";
import { createEta } from "./upload-eta.js";
import { createUploadQueue, isForReview, isUnsent, newIdempotencyKey } from "./upload-queue.js";
import { sendWhole } from "./upload-request.js";
import { chosenIn, fieldsOf, offerSettings, shownChoice } from "./upload-settings.js";
import { offerSources } from "./upload-sources.js";
import { createStaging } from "./upload-staging.js";
import { createWork } from "./upload-work.js";
import { shownFiles, timeLeft } from "./upload-words.js";

/** A file that is larger does not begin anew where a connection breaks off. */
const MOST_WHOLE_BYTES = 20_000_000;

/** @typedef {import("./upload-queue.js").Upload} Upload */
/** @typedef {import("./upload-staging.js").UploadRow} UploadRow */

/**
 * Files are chosen, settings made, and everything sent and followed to its result.
 *
 * @param {HTMLFormElement} form
 */
export function enhanceUpload(form) {
  const mediaUrl = form.dataset["upload"] ?? "";
  const batch = createBatch(form.dataset["batch"], newIdempotencyKey);
  const session = { url: mediaUrl, csrfToken: form.dataset["csrf"] ?? "", batchId: batch.id };
  const said = need(form, "[data-said]", HTMLElement);
  // Without a connection, the list of refused files is not saved.
  const refused = import("./upload-refused.js").then(
    ({ followRefused }) => followRefused(need(form, "[data-refused]", HTMLElement)),
    () => undefined,
  );
  const work = createWork(form, batch.id, (text) => {
    said.textContent = text;
  });
  /** @type {HTMLElement | null} */
  const missing = form.querySelector("section[data-missing]");
  /** @type {Map<UploadRow, Upload>} */
  const uploads = new Map();
  /** @type {Map<Upload, { row: UploadRow, eta: ReturnType<typeof createEta> }>} */
  const rows = new Map();
  const all = () => [...rows.keys()];

  /** @param {Upload} upload */
  const show = (upload) => {
    const shown = rows.get(upload);
    if (shown === undefined) return;
    const { row, eta } = shown;
    const { progress, mediaId } = upload;
    const seconds = progress.kind === "sending" ? eta.left(progress.share, 1) : undefined;
    row.show(progress, {
      left: seconds === undefined ? undefined : timeLeft(seconds),
      isForReview: isForReview(upload),
    });
    if (mediaId !== undefined && progress.kind === "queued") {
      row.stored(mediaId);
      void follower.follow();
    }
    if (mediaId !== undefined && progress.kind === "completed" && progress.hasOutput) row.finished(mediaId);
    if (progress.kind === "gone") row.gone();
    showAllSoon();
  };
  const keepUnsent = () => {
    batch.keep(
      all()
        .filter(isLacking)
        .map(({ path, file, idempotencyKey, progress }) => ({
          path,
          sizeBytes: file.size,
          idempotencyKey,
          why: progress.kind === "refused" ? progress.why : undefined,
        })),
    );
  };
  const showAllSoon = atMostEachFrame(() => {
    keepUnsent();
    work.show(all());
    guardLeaving(all().some(isUnsent));
  });
  const follower = createFollower(form.dataset["progress"] ?? "", all, show);
  const gate = createGate((pause) => {
    work.pause(pause);
  });
  const queue = createUploadQueue({
    send: sendBySize(session, form.dataset["resumable"] ?? ""),
    gate,
    onChange: show,
    renewSession: async () => await renew(session),
    discard: async (mediaId) => {
      const headers = { "X-CSRF-Token": session.csrfToken };
      await fetch(`${mediaUrl}/${mediaId}/delete`, { method: "POST", headers, redirect: "manual" });
    },
  });
  const staging = offerStaging(form, mediaUrl, {
    beforeAdding: async () => {
      await batch.update();
    },
    hasSent: batch.hasSent,
    say: (text) => {
      said.textContent = text;
      void refused.then((list) => list?.choose(staging.refused()));
    },
    actionsOf: (row) => {
      const upload = uploads.get(row);
      if (upload === undefined) return undefined;
      return {
        stop: () => {
          queue.cancel(upload);
          focusRow(row);
        },
        retry: () => {
          queue.retry(upload);
          focusRow(row);
        },
      };
    },
    onGo: (settings) => {
      const chosen = chosenIn(settings);
      const text = shownChoice(settings);
      const taken = staging.takeAll().map(({ file, path, folder, isVideo, row, fault }) => {
        const fields = fieldsOf(chosen, { isVideo, folder });
        const idempotencyKey = batch.take({ path, sizeBytes: file.size });
        const upload = uploadOf(file, { path, isVideo, fault, fields, idempotencyKey });
        uploads.set(row, upload);
        rows.set(upload, { row, eta: createEta() });
        if (fault === undefined) row.tell(text);
        row.show(upload.progress, { left: undefined, isForReview: isForReview(upload) });
        return { upload, row };
      });
      need(form, "[data-sent]", HTMLElement).append(...taken.map(({ row }) => row.element));
      form.classList.add("has-work");
      batch.begin();
      void refused.then((list) => list?.begin(batch.id));
      if (missing !== null) missing.hidden = true;
      keepUnsent();
      queue.add(taken.map(({ upload }) => upload).filter(isUnsent));
      work.show(all());
      guardLeaving(true);
      work.title.focus();
      work.section.scrollIntoView({ block: "start" });
    },
  });
  need(form, "[data-continue]", HTMLElement).addEventListener("click", gate.open);
  window.addEventListener("online", gate.open);
  need(form, "[data-cancel-all]", HTMLElement).addEventListener("click", () => {
    for (const upload of all().filter(isUnsent)) queue.cancel(upload);
    work.title.focus();
  });
  need(form, "[data-retry-all]", HTMLElement).addEventListener("click", () => {
    for (const upload of all()) {
      if (upload.progress.kind === "refused" && upload.progress.canRetry) queue.retry(upload);
    }
    work.title.focus();
  });
  void batch.update(missing);
  offerSources(form, (found) => void staging.add(found));
  form.hidden = false;
  form.parentElement?.querySelector("[data-without-script]")?.remove();
}

/**
 * Sends small files whole, and large ones so that they go on where a connection broke off. What that takes is fetched with the first
 * of them.
 *
 * @param {import("./upload-request.js").Session} session
 * @param {string} resumableUrl Where an upload in parts begins.
 * @returns {import("./upload-request.js").Transport}
 */
function sendBySize(session, resumableUrl) {
  const whole = sendWhole(session);
  /** @type {Promise<import("./upload-request.js").Transport> | undefined} */
  let loading;
  const load = async () => (await import("./upload-resumable.js")).sendInParts(session, resumableUrl);
  return async (sending) => {
    if (sending.file.size <= MOST_WHOLE_BYTES) return await whole(sending);
    try {
      loading ??= load();
      return await (
        await loading
      )(sending);
    } catch {
      loading = undefined;
      return { kind: "lost", fault: "The connection was lost.", retryAfterSeconds: undefined };
    }
  };
}

/**
 * What is chosen, what is done with it, and the button that begins.
 *
 * @param {HTMLFormElement} form
 * @param {string} mediaUrl
 * @param {object} options
 * @param {() => Promise<void>} options.beforeAdding
 * @param {(file: import("./upload-batch.js").Arrived) => boolean} options.hasSent
 * @param {(text: string) => void} options.say
 * @param {Parameters<typeof createStaging>[1]["actionsOf"]} options.actionsOf
 * @param {(settings: HTMLElement) => void} options.onGo
 */
function offerStaging(form, mediaUrl, { beforeAdding, hasSent, say, actionsOf, onGo }) {
  const settings = need(form, "[data-settings]", HTMLElement);
  const go = need(form, "[data-go]", HTMLButtonElement);
  const fault = need(form, "[data-settings-fault]", HTMLElement);
  const show = () => {
    const files = staging.sendable();
    need(form, "[data-staging]", HTMLElement).hidden = staging.size() === 0;
    form.classList.toggle("has-files", staging.size() > 0);
    const isRefusedOnly = staging.size() > 0 && files.length === 0 && !staging.isLooking();
    settings.hidden = isRefusedOnly;
    need(form, "[data-begin]", HTMLElement).hidden = isRefusedOnly;
    const { categories, isOnlyLook } = chosenIn(settings);
    if (categories.length > 0) fault.hidden = true;
    go.disabled = files.length === 0 || staging.isLooking();
    go.textContent = staging.isLooking()
      ? "Checking the files…"
      : `${isOnlyLook ? "Analyze" : "Redact"} ${shownFiles(files)}`;
    need(form, "[data-frozen]", HTMLElement).textContent =
      `Settings for all files in this upload: ${shownChoice(settings) || "nothing chosen"}.`;
  };
  const staging = createStaging(form, {
    mediaUrl,
    limits: {
      photoBytes: Number(form.dataset["maxBytes"]),
      videoBytes: Number(form.dataset["maxVideoBytes"]),
    },
    beforeAdding,
    hasSent,
    actionsOf,
    onChange: (text) => {
      show();
      if (text !== undefined) say(text);
    },
  });
  offerSettings(settings, show);
  need(form, "[data-clear]", HTMLElement).addEventListener("click", () => {
    staging.clear();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (go.disabled) return;
    if (chosenIn(settings).categories.length > 0) {
      onGo(settings);
      return;
    }
    fault.textContent = "Choose what to redact: at least one category, or a preset.";
    fault.hidden = false;
    need(settings, "input[name=preset]:checked", HTMLInputElement).focus();
  });
  return staging;
}

/**
 * @param {File} file
 * @param {{ readonly path: string, readonly isVideo: boolean, readonly fault: string | undefined, readonly fields: Upload["fields"], readonly idempotencyKey: string }} chosen
 * @returns {Upload}
 */
function uploadOf(file, { path, isVideo, fault, fields, idempotencyKey }) {
  /** @type {Upload["progress"]} */
  const progress =
    fault === undefined ? { kind: "waiting" } : { kind: "refused", why: fault, canRetry: false };
  return {
    file,
    path,
    isVideo,
    fields,
    idempotencyKey,
    progress,
    mediaId: undefined,
    tries: 0,
    breaks: 0,
    sending: undefined,
  };
}

/**
 * Whether a file that was wanted has not arrived.
 *
 * @param {Upload} upload
 */
function isLacking(upload) {
  const { progress } = upload;
  return isUnsent(upload) || (progress.kind === "refused" && progress.canRetry);
}

/**
 * Keeps the focus where it was when the button that had it is gone.
 *
 * @param {UploadRow} row
 */
function focusRow({ element }) {
  for (const button of element.querySelectorAll("button")) {
    if (button.hidden) continue;
    button.focus();
    return;
  }
}

/** @param {BeforeUnloadEvent} event */
function warnOfLoss(event) {
  event.preventDefault();
}

/** @param {boolean} isNeeded */
function guardLeaving(isNeeded) {
  if (isNeeded) window.addEventListener("beforeunload", warnOfLoss);
  else window.removeEventListener("beforeunload", warnOfLoss);
}

/**
 * Takes over the session of a person who has signed in again in another tab.
 *
 * @param {{ csrfToken: string }} session
 */
async function renew(session) {
  try {
    const answer = await fetch("/dashboard/upload", { signal: AbortSignal.timeout(10_000) });
    if (!answer.ok || answer.redirected) return false;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const token = page.querySelector("form[data-upload]")?.getAttribute("data-csrf");
    if (token === null || token === undefined) return false;
    session.csrfToken = token;
    return true;
  } catch {
    return false;
  }
}

/**
 * Does something at most once a frame, and once more than asked for last. A page in the background draws no frames.
 *
 * @param {() => void} act
 */
function atMostEachFrame(act) {
  let timer = 0;
  return () => {
    if (timer !== 0) return;
    timer = window.setTimeout(() => {
      timer = 0;
      act();
    }, 50);
  };
}
