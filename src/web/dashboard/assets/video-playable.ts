// Offers to make an original playable that this browser cannot play.
import { need } from "./elements.ts";
import { copyFormat, tooMuch } from "./film-copy-plan.ts";
import { DownloadError } from "./gathered-files.ts";
import { storedPart, WHOLE } from "./video-crop.ts";
import type { CopyStage, EngineUrls } from "./film-copy.ts";

const STAGES: Readonly<Record<CopyStage, string>> = {
  engine: "Downloading the converter …",
  original: "Loading the original …",
  converting: "Converting on this device …",
};

/** Whether a browser has found that it cannot show a film's picture. It may still play its sound. */
function isUnplayable(video: HTMLVideoElement): boolean {
  return (
    video.error !== null || (video.readyState >= HTMLMediaElement.HAVE_METADATA && video.videoWidth === 0)
  );
}

/** Shows what there is to do about an original that does not play, once it does not. */
export function offerPlayable({
  editor,
  video,
  film,
  say,
  play,
}: {
  readonly editor: HTMLElement;
  readonly video: HTMLVideoElement;
  readonly film: { readonly fileBytes: number; readonly durationSeconds: number };
  readonly say: (sentence: string) => void;
  /** Plays a copy in place of the original. Resolves to false if that does not play either. */
  readonly play: (copy: Blob, url: string) => Promise<boolean>;
}) {
  const offer = need(editor, "[data-playable]", HTMLElement);
  const said = need(offer, "[data-playable-said]", HTMLElement);
  const make = need(offer, "[data-playable-make]", HTMLButtonElement);
  const work = need(offer, "[data-playable-work]", HTMLElement);
  const bar = need(offer, "progress", HTMLProgressElement);
  const percent = need(offer, "[data-playable-percent]", HTMLElement);
  const cancel = need(offer, "[data-playable-cancel]", HTMLButtonElement);
  const engine = JSON.parse(offer.dataset["engine"] ?? "") as EngineUrls;
  const source = video.currentSrc || video.src;
  let working: AbortController | undefined;
  let isOffered = false;
  let hasCopy = false;

  make.addEventListener("click", () => void makePlayable());
  cancel.addEventListener("click", () => {
    working?.abort();
  });
  for (const kind of ["error", "loadedmetadata"]) video.addEventListener(kind, look);
  look();

  function look() {
    if (isOffered || hasCopy || !isUnplayable(video)) return;
    isOffered = true;
    const obstacle = tooMuch(film);
    say(
      "This browser cannot play the original, or it was deleted. You can still hide or show things on the timeline.",
    );
    said.textContent = obstacle ?? "";
    make.hidden = obstacle !== undefined;
    offer.hidden = false;
  }

  async function makePlayable() {
    working = new AbortController();
    showWork(true);
    const url = await copyUrl(working.signal).catch((error: unknown) => {
      said.textContent = faultOf(error, working?.signal);
      return undefined;
    });
    working = undefined;
    const hadFocus = offer.contains(document.activeElement);
    showWork(false);
    if (url === undefined) return;
    offer.hidden = true;
    say("This is a copy of the original, made on this device in lower quality.");
    if (hadFocus) need(editor, "svg.stage", SVGSVGElement).focus();
  }

  async function copyUrl(signal: AbortSignal): Promise<string> {
    const { makeCopy } = await import("./film-copy.ts");
    const format = copyFormat((type) => video.canPlayType(type));
    const part = (await storedPart(editor.dataset["shownPart"] ?? "")) ?? WHOLE;
    const copy = await makeCopy({ engine, source, ...film, format, part, onProgress: show, signal });
    const url = URL.createObjectURL(copy);
    hasCopy = true;
    if (await play(copy, url)) {
      // Browsers that keep the page for the Back button keep the copy with it.
      window.addEventListener("pagehide", ({ persisted }) => {
        if (!persisted) URL.revokeObjectURL(url);
      });
      return url;
    }
    URL.revokeObjectURL(url);
    video.src = source;
    hasCopy = false;
    throw new Error("The copy does not play.");
  }

  function show(stage: CopyStage, share: number) {
    if (said.textContent !== STAGES[stage]) said.textContent = STAGES[stage];
    bar.value = Math.min(1, Math.max(0, share));
    percent.textContent = `${Math.floor(bar.value * 100)}%`;
  }

  /** A button that disappears passes its focus on. */
  function showWork(isWorking: boolean) {
    const hadFocus = offer.contains(document.activeElement);
    bar.value = 0;
    percent.textContent = "";
    make.hidden = isWorking;
    work.hidden = !isWorking;
    if (hadFocus) (isWorking ? cancel : make).focus();
  }
}

function faultOf(error: unknown, signal: AbortSignal | undefined): string {
  if (signal?.aborted === true) return "Canceled.";
  return error instanceof DownloadError
    ? "The download failed. Check the connection, and try again."
    : "This original cannot be made playable on this device.";
}
