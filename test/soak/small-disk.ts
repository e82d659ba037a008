import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";

const CHUNK_BYTES = 256 * 1024;
const MIN_CHUNK_BYTES = 512;

/**
 * Runs a script in its own mount namespace, in which a folder is a disk of a few megabytes, and returns its exit code. Throws if the host
 * does not support or allow such namespaces (Linux, unshare(1)).
 */
export async function runOnSmallDisk(
  script: string,
  args: readonly string[],
  { folder, megabytes }: { folder: string; megabytes: number },
): Promise<number> {
  const mount = `mount -t tmpfs -o size=${megabytes}m tmpfs "$0" && exec "$@"`;
  const child = spawn(
    "unshare",
    ["--map-root-user", "--mount", "sh", "-c", mount, folder, process.execPath, script, ...args],
    { stdio: "inherit" },
  );
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

/** Fills the disk of a folder to its last block, runs `meanwhile`, and frees it again. */
export async function withFullDisk(folder: string, meanwhile: () => Promise<void>): Promise<void> {
  const path = join(folder, "filler");
  const file = await open(path, "w");
  try {
    for (let size = CHUNK_BYTES; size >= MIN_CHUNK_BYTES;) {
      const isWritten = await file.write(Buffer.alloc(size)).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOSPC") throw error;
          return false;
        },
      );
      if (!isWritten) size /= 2;
    }
    await meanwhile();
  } finally {
    await file.close();
    await rm(path);
  }
}
