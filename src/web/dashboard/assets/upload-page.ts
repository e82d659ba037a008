import { createBatch } from "./upload-batch.ts";
import { createFollower } from "./upload-follow.ts";
import { createGate } from "./upload-gate.ts";
import { need } from "./elements.ts";
import { createEta } from "./upload-eta.ts";
import { createUploadQueue, isForReview, isUnsent, newIdempotencyKey } from "./upload-queue.ts";
import { sendWhole } from "./upload-request.ts";
import { chosenIn, fieldsOf, offerSettings, shownChoice } from "./upload-settings.ts";
import { offerSources } from "./upload-sources.ts";
import { createStaging } from "./upload-staging.ts";
import { createWork } from "./upload-work.ts";
import { shownFiles, timeLeft } from "./upload-words.ts";
import type { Upload } from "./upload-queue.ts";
import type { UploadRow } from "./upload-staging.ts";
import type { Session, Transport } from "./upload-request.ts";
import type { Arrived } from "./upload-kept.ts";

/** Larger files are sent in parts, so that they do not start over when a connection breaks. */
const MOST_WHOLE_BYTES = 20_000_000;

/** The upload page: choosing files and settings, sending, and following each file to its result. */
export function enhanceUpload(form: HTMLFormElement) {
  const mediaUrl = form.dataset["upload"] ?? "";
  const batch = createBatch(form.dataset["batch"], newIdempotencyKey);
  const session = { url: mediaUrl, csrfToken: form.dataset["csrf"] ?? "", batchId: batch.id };
  const said = need(form, "[data-said]", HTMLElement);
  // Without a connection, the list of refused files is not saved.
  const refused = import("./upload-refused.ts").then(
    ({ followRefused }) => followRefused(need(form, "[data-refused]", HTMLElement)),
    () => undefined,
  );
  const work = createWork(form, batch.id, (text) => {
    said.textContent = text;
  });
  const missing: HTMLElement | null = form.querySelector("section[data-missing]");
  const uploads = new Map<UploadRow, Upload>();
  const rows = new Map<Upload, { row: UploadRow; eta: ReturnType<typeof createEta> }>();
  const all = () => [...rows.keys()];

  const show = (upload: Upload) => {
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
 * Sends small files whole, and large ones by resumable uploads. The code for resumable uploads loads with the first large file.
 *
 * @param resumableUrl Where resumable uploads are created.
 */
function sendBySize(session: Session, resumableUrl: string): Transport {
  const whole = sendWhole(session);
  let loading: Promise<Transport> | undefined;
  const load = async () => (await import("./upload-resumable.ts")).sendInParts(session, resumableUrl);
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

/** The chosen files, their settings, and the button that starts. */
function offerStaging(
  form: HTMLFormElement,
  mediaUrl: string,
  {
    beforeAdding,
    hasSent,
    say,
    actionsOf,
    onGo,
  }: {
    readonly beforeAdding: () => Promise<void>;
    readonly hasSent: (file: Arrived) => boolean;
    readonly say: (text: string) => void;
    readonly actionsOf: Parameters<typeof createStaging>[1]["actionsOf"];
    readonly onGo: (settings: HTMLElement) => void;
  },
) {
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

function uploadOf(
  file: File,
  {
    path,
    isVideo,
    fault,
    fields,
    idempotencyKey,
  }: {
    readonly path: string;
    readonly isVideo: boolean;
    readonly fault: string | undefined;
    readonly fields: Upload["fields"];
    readonly idempotencyKey: string;
  },
): Upload {
  const progress: Upload["progress"] =
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

/** Whether a file has not arrived and was not canceled. */
function isLacking(upload: Upload) {
  const { progress } = upload;
  return isUnsent(upload) || (progress.kind === "refused" && progress.canRetry);
}

/** Moves the focus to the row when its focused button is gone. */
function focusRow({ element }: UploadRow) {
  for (const button of element.querySelectorAll("button")) {
    if (button.hidden) continue;
    button.focus();
    return;
  }
}

function warnOfLoss(event: BeforeUnloadEvent) {
  event.preventDefault();
}

function guardLeaving(isNeeded: boolean) {
  if (isNeeded) window.addEventListener("beforeunload", warnOfLoss);
  else window.removeEventListener("beforeunload", warnOfLoss);
}

/** Takes over the session of a person who has signed in again in another tab. */
async function renew(session: { csrfToken: string }) {
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

/** Limits calls to one per frame, with a final call after the last request. A background page draws no frames. */
function atMostEachFrame(act: () => void) {
  let timer = 0;
  return () => {
    if (timer !== 0) return;
    timer = window.setTimeout(() => {
      timer = 0;
      act();
    }, 50);
  };
}
