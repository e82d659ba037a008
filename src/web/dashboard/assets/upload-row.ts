import { need, copyOf } from "./elements.ts";
import { shownSize } from "./upload-words.ts";
import type { Progress } from "./upload-queue.ts";

/** The text and actions of a row in each state. `dot` is the class that colors it. */
interface Shown {
  state: string;
  dot: string;
  /** The share that the bar shows; no bar if undefined. */
  share?: number;
  why?: string;
  /** Whether `why` is information and not an error. */
  isWarning?: boolean;
  canStop?: boolean;
  canRetry?: boolean;
}

/** What a row also shows: the remaining time in words, and whether the file is reviewed before it is redacted. */
interface ShownWith {
  readonly left: string | undefined;
  readonly isForReview: boolean;
}

/** Adds the row of a file to a list. */
export function createUploadRow(
  template: HTMLTemplateElement,
  {
    file,
    path,
    folder,
    mediaUrl,
    isVideo,
  }: {
    readonly file: File;
    readonly path: string;
    readonly folder: string;
    readonly mediaUrl: string;
    readonly isVideo: boolean;
  },
  { onStop, onRetry }: { readonly onStop: () => void; readonly onRetry: () => void },
) {
  const element = copyOf(template);
  const name = need(element, "[data-name]", HTMLElement);
  const about = need(element, "[data-about]", HTMLElement);
  const state = need(element, "[data-state]", HTMLElement);
  const bar = need(element, "[data-bar]", HTMLProgressElement);
  const why = need(element, "[data-why]", HTMLElement);
  const picture = need(element, "[data-picture]", HTMLElement);
  const download = need(element, "[data-download]", HTMLAnchorElement);
  const again = need(element, "[data-again]", HTMLButtonElement);
  const stop = need(element, "[data-stop]", HTMLButtonElement);
  need(picture, isVideo ? "[data-photo]" : "[data-video]", Element).remove();
  name.append(...shownName(file.name));
  name.title = path;
  about.textContent = shownSize(file.size);
  bar.setAttribute("aria-label", `Progress of ${file.name}`);
  again.setAttribute("aria-label", `Try again: ${file.name}`);
  stop.addEventListener("click", onStop);
  again.addEventListener("click", onRetry);

  const tell = (settings?: string) => {
    about.textContent = [shownSize(file.size), folder, settings].filter(Boolean).join(" · ");
  };
  const show = ({
    state: text,
    dot,
    share,
    why: reason,
    isWarning = false,
    canStop = false,
    canRetry = false,
  }: Shown) => {
    state.textContent = text;
    state.hidden = text === "";
    state.className = `status ${dot}`;
    bar.hidden = share === undefined;
    bar.value = share ?? 0;
    why.hidden = reason === undefined;
    why.textContent = reason ?? "";
    why.className = isWarning ? "hint" : "fault";
    stop.hidden = !canStop;
    again.hidden = !canRetry;
  };

  tell();
  return {
    element,
    name: file.name,
    picture,
    tell,
    /** Shows whether the chosen file can be sent. */
    chosen(fault: string | undefined) {
      stop.setAttribute("aria-label", `Remove ${file.name}`);
      if (fault === undefined) show({ state: "", dot: "", canStop: true });
      else show({ state: "Refused", dot: "failed", why: fault, canStop: true });
    },
    show(progress: Progress, more: ShownWith) {
      stop.setAttribute("aria-label", `Cancel ${file.name}`);
      show(shownOf(progress, more));
    },
    /** Links the file's name to its media item. */
    stored(mediaId: string) {
      const link = document.createElement("a");
      link.href = `${mediaUrl}/${mediaId}`;
      link.append(...shownName(file.name));
      name.replaceChildren(link);
      download.href = `${mediaUrl}/${mediaId}/download`;
      download.setAttribute("aria-label", `Download ${file.name}`);
    },
    /** Offers the redacted file to view and download. */
    finished(mediaId: string) {
      const image = document.createElement("img");
      image.src = `${mediaUrl}/${mediaId}/thumbnail`;
      retryImage(image);
      image.alt = `${file.name}, redacted`;
      picture.replaceChildren(image);
      download.hidden = false;
    },
    /** Removes the link and the picture of a deleted file. */
    gone() {
      name.replaceChildren(...shownName(file.name));
      download.hidden = true;
    },
  };
}

/** Requests a picture again that a broken connection prevented from loading, because browsers do not. */
function retryImage(image: HTMLImageElement) {
  const { src } = image;
  let tries = 0;
  image.addEventListener("error", () => {
    tries += 1;
    if (tries > MOST_IMAGE_TRIES) return;
    setTimeout(() => {
      image.src = src;
    }, tries * IMAGE_RETRY_MS);
  });
}

function shownOf(progress: Progress, { left, isForReview }: ShownWith): Shown {
  switch (progress.kind) {
    case "waiting":
      return { state: "Waiting", dot: "", canStop: true };
    case "sending": {
      const percent = `${Math.floor(progress.share * 100)}%`;
      return {
        state: left === undefined ? percent : `${percent}, ${left}`,
        dot: "processing",
        share: progress.share,
        canStop: true,
      };
    }
    case "storing":
      return { state: "Saving", dot: "processing", share: 1, canStop: true };
    case "cancelling":
      return { state: "Cancelling", dot: "" };
    case "cancelled":
      return { state: "Cancelled", dot: "", canRetry: true };
    case "pausing":
      return {
        state: `Trying again in ${progress.seconds} s`,
        dot: "quota_exceeded",
        why: progress.why,
        isWarning: true,
        canStop: true,
      };
    case "refused":
      return { state: "Not sent", dot: "failed", why: progress.why, canRetry: progress.canRetry };
    case "queued":
      return { state: "Queued", dot: "" };
    case "processing": {
      const work = isForReview ? "Analyzing" : "Redacting";
      if (progress.share === null) return { state: work, dot: "processing" };
      const percent = `${Math.floor(progress.share * 100)}%`;
      return { state: `${work}, ${percent}`, dot: "processing", share: progress.share };
    }
    case "completed":
      if (progress.hasOutput) return { state: "Done", dot: "completed" };
      return {
        state: "Ready for review",
        dot: "completed",
        why: "The redacted file is made when you approve.",
        isWarning: true,
      };
    case "failed":
      return { state: "Failed", dot: "failed", why: progress.why };
    case "gone":
      return { state: "Deleted", dot: "" };
  }
}

const MOST_IMAGE_TRIES = 5;
const IMAGE_RETRY_MS = 2_000;
/** How many characters at the end of a name stay if its middle is cut: a number and an extension. */
const NAME_END = 10;
const LETTERS = new Intl.Segmenter("en");

/** A file's name. If it does not fit, its middle is cut, because the names of one camera differ at their ends. */
function shownName(name: string) {
  const characters = Array.from(LETTERS.segment(name), ({ segment }) => segment);
  if (characters.length <= 2 * NAME_END) return [name];
  const cut = document.createElement("span");
  cut.className = "row-name cut";
  for (const part of [characters.slice(0, -NAME_END), characters.slice(-NAME_END)]) {
    const shown = document.createElement("span");
    shown.textContent = part.join("");
    cut.append(shown);
  }
  return [cut];
}
