const MEDIA_TYPE = /^(image|video)\//;
const MEDIA_NAME = /\.(jpe?g|png|webp|hei[cf]|avif|gif|tiff?|bmp|mp4|m4v|mov|webm|mkv|avi)$/i;

/**
 * Something that was dropped: a file, or why it is none that can be sent. `path` is its place in a dropped folder, or its name.
 *
 * @typedef {{ readonly path: string, readonly file: File }
 *   | { readonly path: string, readonly skipped: "unreadable" | "other_type" }} Found
 */

/**
 * Whether files are dragged, rather than text or a link.
 *
 * @param {DragEvent} event
 */
export function holdsFiles(event) {
  return event.dataTransfer?.types.includes("Files") === true;
}

/** Keeps the browser from leaving the page to show a file that is dropped on it. */
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

/**
 * What a drop holds. It must be asked for while the event lasts: the browser empties the transfer after that.
 *
 * @param {DataTransfer} transfer
 * @returns {(File | FileSystemEntry)[]}
 */
export function droppedEntries(transfer) {
  return [...transfer.items].flatMap((item) => {
    if (item.kind !== "file") return [];
    const entry = item.webkitGetAsEntry() ?? item.getAsFile();
    return entry === null ? [] : [entry];
  });
}

/**
 * Every file of a drop, folders walked through. Of a folder, only photos and videos are taken; what was dropped by itself is
 * always taken, so that the service can say what is wrong with it.
 *
 * @param {readonly (File | FileSystemEntry)[]} entries
 * @returns {AsyncGenerator<Found>}
 */
export async function* walkDrop(entries) {
  for (const entry of entries) {
    if (entry instanceof File) yield { path: entry.name, file: entry };
    else yield* walkEntry(entry, true);
  }
}

/**
 * @param {FileSystemEntry} entry
 * @param {boolean} isTop
 * @returns {AsyncGenerator<Found>}
 */
async function* walkEntry(entry, isTop) {
  const path = entry.fullPath.replace(/^\//, "");
  try {
    if (isDirectory(entry)) {
      for await (const child of childrenOf(entry)) yield* walkEntry(child, false);
    } else {
      const file = await fileOf(/** @type {FileSystemFileEntry} */ (entry));
      yield isTop || isMedia(file) ? { path, file } : { path, skipped: "other_type" };
    }
  } catch {
    yield { path, skipped: "unreadable" };
  }
}

/**
 * @param {FileSystemEntry} entry
 * @returns {entry is FileSystemDirectoryEntry}
 */
function isDirectory(entry) {
  return entry.isDirectory;
}

/**
 * What a folder holds. A browser hands it over in pieces, of 100 in Chromium, until an empty one.
 *
 * @param {FileSystemDirectoryEntry} directory
 */
async function* childrenOf(directory) {
  const reader = directory.createReader();
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const piece = await new Promise((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (piece.length === 0) return;
    yield* piece;
  }
}

/**
 * @param {FileSystemFileEntry} entry
 * @returns {Promise<File>}
 */
function fileOf(entry) {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}

/**
 * Whether a file is taken from a folder. Browsers know no type of some formats.
 *
 * @param {File} file
 */
export function isMedia({ type, name }) {
  return MEDIA_TYPE.test(type) || MEDIA_NAME.test(name);
}
