import { checkFile } from "./upload-check.ts";
import { need } from "./elements.ts";
import { createUploadRow } from "./upload-row.ts";
import { counted, shownFiles, shownSize } from "./upload-words.ts";
import type { Limits } from "./upload-check.ts";
import type { Arrived } from "./upload-kept.ts";
import type { Refused } from "./upload-refused.ts";
import type { Found } from "./dropped-files.ts";

const MOST_NAMES = 20;
/** Browsers return the files of a folder in any order. */
const PATH_ORDER = new Intl.Collator("en", { numeric: true });

export type UploadRow = ReturnType<typeof createUploadRow>;
interface Staged {
  readonly file: File;
  readonly path: string;
  readonly folder: string;
  readonly row: UploadRow;
  readonly isVideo: boolean;
  readonly fault: string | undefined;
}

/** Holds the files that are chosen but not sent yet. Each is checked first, and a file that cannot be sent shows why. */
export function createStaging(
  form: HTMLElement,
  {
    mediaUrl,
    limits,
    beforeAdding,
    hasSent,
    onChange,
    actionsOf,
  }: {
    readonly mediaUrl: string;
    readonly limits: Limits;
    /** Finds out which files have already been sent. */
    readonly beforeAdding: () => Promise<void>;
    /** Whether a file has been sent already. */
    readonly hasSent: (file: Arrived) => boolean;
    /** `said` is what screen readers announce. */
    readonly onChange: (said?: string) => void;
    /** The actions of a row's buttons once its file is sent. */
    readonly actionsOf: (
      row: UploadRow,
    ) => { readonly stop: () => void; readonly retry: () => void } | undefined;
  },
) {
  const list = need(form, "[data-staged]", HTMLElement);
  const title = need(form, "[data-staged-title]", HTMLElement);
  const template = need(form, "template[data-row]", HTMLTemplateElement);
  const notes = need(form, "[data-notes]", HTMLElement);
  let staged: Staged[] = [];
  let skippedFiles: Refused[] = [];
  let looking = 0;

  const sendable = () => staged.filter(({ fault }) => fault === undefined);
  const changed = (said?: string) => {
    const files = sendable();
    const refused = staged.length - files.length;
    const sizeBytes = files.reduce((sum, { file }) => sum + file.size, 0);
    title.textContent = [
      files.length === 0 ? "No photos or videos" : `${shownFiles(files)}, ${shownSize(sizeBytes)}`,
      ...(refused === 0 ? [] : [`${refused} refused`]),
    ].join(" · ");
    onChange(said);
  };

  const remove = (row: UploadRow) => {
    const next = row.element.nextElementSibling ?? row.element.previousElementSibling;
    staged = staged.filter((one) => one.row !== row);
    row.element.remove();
    // The removed row had the focus.
    const stop = next?.querySelector("[data-stop]");
    if (stop instanceof HTMLElement) stop.focus();
    else need(form, "#files", HTMLElement).focus();
    changed(`${row.name} removed.`);
  };

  async function addOne({ file, path }: { readonly file: File; readonly path: string }) {
    const isThere = staged.some(
      (one) =>
        one.path === path && one.file.size === file.size && one.file.lastModified === file.lastModified,
    );
    if (isThere) return;
    const kind = await checkFile(file, limits);
    const isVideo = kind.fault === undefined && kind.isVideo;
    const folder = folderOf(path);
    const row: UploadRow = createUploadRow(
      template,
      { file, path, folder, mediaUrl, isVideo },
      {
        onStop: () => {
          const actions = actionsOf(row);
          if (actions === undefined) remove(row);
          else actions.stop();
        },
        onRetry: () => {
          actionsOf(row)?.retry();
        },
      },
    );
    row.chosen(kind.fault);
    staged.push({ file, path, folder, row, isVideo, fault: kind.fault });
    list.append(row.element);
    if (kind.fault === undefined && !isVideo) void preview(file, row.picture);
  }

  return {
    isLooking: () => looking > 0,
    sendable,
    size: () => staged.length,
    /** The chosen files that were refused, and why. */
    refused: () => [
      ...staged.flatMap(({ path, fault }) => (fault === undefined ? [] : [{ path, why: fault }])),
      ...skippedFiles,
    ],
    async add(found: AsyncIterable<Found> | readonly Found[]) {
      looking++;
      const before = staged.length;
      await beforeAdding();
      const skipped: { unreadable: string[]; other_type: string[]; sent: string[] } = {
        unreadable: [],
        other_type: [],
        sent: [],
      };
      for await (const one of found) {
        if ("file" in one && hasSent({ path: one.path, sizeBytes: one.file.size }))
          skipped.sent.push(one.path);
        else if ("file" in one) await addOne(one);
        else skipped[one.skipped].push(one.path);
        changed();
      }
      const added = staged.slice(before);
      staged.sort(
        // Errors come first, so that they are visible without scrolling.
        (a, b) =>
          Number(a.fault === undefined) - Number(b.fault === undefined) || PATH_ORDER.compare(a.path, b.path),
      );
      list.append(...staged.map(({ row }) => row.element));
      looking--;
      skippedFiles.push(
        ...skipped.other_type.map((path) => ({ path, why: "Not a photo or video." })),
        ...skipped.unreadable.map((path) => ({ path, why: "Cannot be read." })),
      );
      addNote(notes, "Not a photo or video, skipped", skipped.other_type);
      addNote(notes, "Cannot be read, skipped", skipped.unreadable);
      if (skipped.sent.length > 0)
        addNote(notes, "Already sent, so skipped", [counted(skipped.sent.length, "file")]);
      const refused = added.filter(({ fault }) => fault !== undefined).length;
      changed(
        `${counted(added.length - refused, "file")} added${refused === 0 ? "" : `, ${refused} refused`}.`,
      );
    },
    /** Removes all files. */
    clear() {
      for (const { row } of staged) row.element.remove();
      staged = [];
      skippedFiles = [];
      notes.replaceChildren();
      notes.hidden = true;
      changed("All files removed.");
      need(form, "#files", HTMLElement).focus();
    },
    /** Returns and removes all files. Refused files are included, so that they still show why. */
    takeAll(): Staged[] {
      const taken = staged;
      staged = [];
      skippedFiles = [];
      notes.replaceChildren();
      notes.hidden = true;
      changed();
      return taken;
    },
  };
}

/** Shows a photo. The code is loaded with the first one; until then, a row shows a symbol. */
async function preview(file: File, picture: HTMLElement) {
  try {
    const { showPreview } = await import("./upload-preview.ts");
    showPreview(file, picture);
  } catch {
    // The connection broke off.
  }
}

/** The folder of a path, without the name of the file. */
function folderOf(path: string) {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Lists files that were not accepted. */
function addNote(notes: HTMLElement, why: string, paths: readonly string[]) {
  if (paths.length === 0) return;
  const more = paths.length > MOST_NAMES ? ` and ${paths.length - MOST_NAMES} more` : "";
  const note = document.createElement("li");
  note.textContent = `${why}: ${paths.slice(0, MOST_NAMES).join(", ")}${more}`;
  notes.append(note);
  notes.hidden = false;
}
