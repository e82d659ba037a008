const MEDIA_TYPE = /^(image|video)\//;
const MEDIA_NAME = /\.(jpe?g|png|webp|hei[cf]|avif|gif|tiff?|bmp|mp4|m4v|mov|webm|mkv|avi)$/i;

/** A dropped item: a file, or why it cannot be sent. `path` is its path in a dropped folder, or its name. */
export type Found =
  | { readonly path: string; readonly file: File }
  | { readonly path: string; readonly skipped: "unreadable" | "other_type" };

/** Whether files are dragged, rather than text or a link. */
export function holdsFiles(event: DragEvent) {
  return event.dataTransfer?.types.includes("Files") === true;
}

/** Prevents the browser from leaving the page to show a dropped file. */
export function refuseFileDrops() {
  document.addEventListener("dragover", (event) => {
    if (!holdsFiles(event) || event.dataTransfer === null) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  });
  document.addEventListener("drop", (event) => {
    if (holdsFiles(event)) event.preventDefault();
  });
}

/** The items of a drop. Call it during the event, because the browser empties the transfer afterward. */
export function droppedEntries(transfer: DataTransfer): (File | FileSystemEntry)[] {
  return [...transfer.items].flatMap((item) => {
    if (item.kind !== "file") return [];
    const entry = item.webkitGetAsEntry() ?? item.getAsFile();
    return entry === null ? [] : [entry];
  });
}

/**
 * Every file of a drop, including those in folders. In folders, only photos and videos are selected. A file that was dropped directly is
 * always selected, so that the service can say what is wrong with it.
 */
export async function* walkDrop(entries: readonly (File | FileSystemEntry)[]): AsyncGenerator<Found> {
  for (const entry of entries) {
    if (entry instanceof File) yield { path: entry.name, file: entry };
    else yield* walkEntry(entry, true);
  }
}

async function* walkEntry(entry: FileSystemEntry, isTop: boolean): AsyncGenerator<Found> {
  const path = entry.fullPath.replace(/^\//, "");
  try {
    if (isDirectory(entry)) {
      for await (const child of childrenOf(entry)) yield* walkEntry(child, false);
    } else {
      const file = await fileOf(entry as FileSystemFileEntry);
      yield isTop || isMedia(file) ? { path, file } : { path, skipped: "other_type" };
    }
  } catch {
    yield { path, skipped: "unreadable" };
  }
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** The entries of a folder. A browser returns them in parts (100 entries in Chromium) until an empty one. */
async function* childrenOf(directory: FileSystemDirectoryEntry) {
  const reader = directory.createReader();
  for (;;) {
    const piece: FileSystemEntry[] = await new Promise((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (piece.length === 0) return;
    yield* piece;
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}

/** Whether a file in a folder is selected. For some formats, browsers report no type. */
export function isMedia({ type, name }: File) {
  return MEDIA_TYPE.test(type) || MEDIA_NAME.test(name);
}
