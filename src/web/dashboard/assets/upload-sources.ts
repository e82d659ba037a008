import { droppedEntries, holdsFiles, isMedia, walkDrop } from "./dropped-files.ts";
import { need } from "./elements.ts";
import type { Found } from "./dropped-files.ts";

/** Accepts files from file dialogs, a camera, drag and drop, and the clipboard. */
export function offerSources(
  form: HTMLElement,
  take: (found: AsyncIterable<Found> | readonly Found[]) => void,
) {
  for (const id of ["files", "folder", "camera", "recorder"]) {
    const input = need(form, `#${id}`, HTMLInputElement);
    input.addEventListener("change", () => {
      const files = [...(input.files ?? [])];
      input.value = "";
      take(files.flatMap((file) => foundOf(file)));
    });
  }
  if (!("webkitdirectory" in HTMLInputElement.prototype))
    need(form, "[data-folder]", HTMLElement).hidden = true;
  offerDrop(need(form, ".drop", HTMLElement), (transfer) => {
    take(walkDrop(droppedEntries(transfer)));
  });
  document.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    take(files.map((file) => renamed(file)).map((file) => ({ path: file.name, file })));
  });
}

/** A chosen file, unless it is a system file in a folder: its name begins with a dot or is known. */
function foundOf(file: File): Found[] {
  const path = file.webkitRelativePath;
  if (path === "") return [{ path: file.name, file }];
  if (/^\.|^(thumbs\.db|desktop\.ini)$/i.test(file.name)) return [];
  return [isMedia(file) ? { path, file } : { path, skipped: "other_type" }];
}

let pasted = 0;

/** Browsers give all pasted files the same name. */
function renamed(file: File) {
  if (!/^image\.\w+$/.test(file.name)) return file;
  pasted++;
  return new File([file], file.name.replace("image", `pasted-${pasted}`), { type: file.type });
}

/**
 * Accepts drops anywhere on the page.
 *
 * @param zone Shows that a drop is possible.
 */
function offerDrop(zone: HTMLElement, take: (transfer: DataTransfer) => void) {
  const show = (isOver: boolean) => {
    zone.classList.toggle("over", isOver);
  };
  for (const kind of ["dragenter", "dragover"] as const) {
    document.addEventListener(kind, (event) => {
      if (!holdsFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      show(true);
    });
  }
  document.addEventListener("dragleave", (event) => {
    // `relatedTarget` is null only if the drag leaves the window.
    if (event.relatedTarget === null) show(false);
  });
  document.addEventListener("drop", (event) => {
    show(false);
    if (!holdsFiles(event) || event.dataTransfer === null) return;
    event.preventDefault();
    take(event.dataTransfer);
  });
}
