import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const OTHERS = 0o077;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** The entries that the service creates in its folder. It does not change other files there. */
const OWN_ENTRIES = /^(?:state|registry|workers|[\w-]+\.(?:json|log)(?:\.new)?)$/u;

/** Makes files that this process and its children write from now on readable only by their user. */
export function writePrivately(): void {
  process.umask(OTHERS);
}

/**
 * Removes other users' access to a folder of the service and to everything that the service created there. Does nothing if the folder does
 * not exist.
 */
export async function makePrivate(folder: string): Promise<void> {
  if (!(await closeEntry(folder))) return;
  const names = await readdir(folder);
  for (const name of names.filter((each) => OWN_ENTRIES.test(each))) await closeTree(join(folder, name));
}

async function closeTree(path: string): Promise<void> {
  if (!(await closeEntry(path))) return;
  for (const name of await readdir(path)) await closeTree(join(path, name));
}

/**
 * Removes other users' access to a folder or file without following links. Returns whether it is a folder; false if it no longer exists.
 */
async function closeEntry(path: string): Promise<boolean> {
  try {
    const entry = await lstat(path);
    const isFolder = entry.isDirectory();
    if (!isFolder && !entry.isFile()) return false;
    if ((entry.mode & OTHERS) !== 0) await chmod(path, isFolder ? FOLDER_MODE : FILE_MODE);
    return isFolder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
