import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const OTHERS = 0o077;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** What the service makes in its folder; other files there are not its own to change. */
const OWN_ENTRIES = /^(?:state|registry|workers|[\w-]+\.(?:json|log)(?:\.new)?)$/u;

/** From here on, what this process and those it starts write is readable by their user alone. */
export function writePrivately(): void {
  process.umask(OTHERS);
}

/** Takes a folder of the service, and all that it has made there, from other users. A folder that is not there is left so. */
export async function makePrivate(folder: string): Promise<void> {
  if (!(await closeEntry(folder))) return;
  const names = await readdir(folder);
  for (const name of names.filter((each) => OWN_ENTRIES.test(each))) await closeTree(join(folder, name));
}

async function closeTree(path: string): Promise<void> {
  if (!(await closeEntry(path))) return;
  for (const name of await readdir(path)) await closeTree(join(path, name));
}

/** Closes a folder or a file, follows no link, and says whether it is a folder. What has just gone is none. */
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
