import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Everything that `npm start` writes into its data folder. */
const OWN_ENTRIES: ReadonlySet<string> = new Set([
  "account.json",
  "account.json.new",
  "inference.log",
  "inference.log.1",
  "registry",
  "secrets.json",
  "secrets.json.new",
  "service.json",
  "service.json.new",
  "state",
  "workers",
  "workers.json",
  "workers.log",
  "workers.log.1",
]);

/**
 * Refuses a folder that holds other files and none of Veil's, because it was probably named by mistake.
 *
 * @throws Error that names the folder
 */
export async function checkDataFolder(directory: string): Promise<void> {
  const entries = await entriesOf(directory);
  if (entries.length > 0 && !entries.some((entry) => OWN_ENTRIES.has(entry)))
    throw new Error(
      `${directory} holds files that are not Veil's, such as ${entries[0] ?? ""}; expected an empty folder, or one that npm start has made. Nothing was changed.`,
    );
}

/** Deletes what Veil wrote into its data folder, and nothing else. */
export async function deleteData(directory: string): Promise<void> {
  const entries = (await entriesOf(directory)).filter((entry) => OWN_ENTRIES.has(entry));
  await Promise.all(
    entries.map(async (entry) => await rm(join(directory, entry), { recursive: true, force: true })),
  );
}

async function entriesOf(directory: string): Promise<string[]> {
  return await readdir(directory).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
}
