import { KEPT } from "./upload-kept.ts";
import { need } from "./elements.ts";
import { counted } from "./upload-words.ts";
import type { Arrived, Unsent } from "./upload-kept.ts";

const ASKING_MS = 10_000;
const MOST_NAMES = 20;

/** What of an upload was not sent; nothing where the browser keeps nothing. */
export function unsentOf(batchId: string): readonly Unsent[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEPT + batchId) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isUnsent) : [];
  } catch {
    return [];
  }
}

function isUnsent(kept: unknown): kept is Unsent {
  if (typeof kept !== "object" || kept === null) return false;
  const { path, sizeBytes, idempotencyKey, why } = kept as Record<string, unknown>;
  return (
    typeof path === "string" &&
    typeof sizeBytes === "number" &&
    typeof idempotencyKey === "string" &&
    ["string", "undefined"].includes(typeof why)
  );
}

/** The files of an upload that have arrived; undefined where the service cannot be asked. */
async function askForArrived(batchId: string): Promise<readonly Arrived[] | undefined> {
  try {
    const answer = await fetch(`/dashboard/batches/${batchId}/files`, {
      signal: AbortSignal.timeout(ASKING_MS),
    });
    if (!answer.ok || answer.redirected) return undefined;
    const { files } = (await answer.json()) as { files: readonly { path: string; size_bytes: number }[] };
    return files.map(({ path, size_bytes: sizeBytes }) => ({ path, sizeBytes }));
  } catch {
    return undefined;
  }
}

/**
 * What of an upload has arrived, and what is still missing by that. A file arrives without its page's knowledge when the page is left
 * before the answer comes.
 */
export async function compareWithArrived(
  batchId: string,
  unsent: readonly Unsent[],
): Promise<{ readonly arrived: readonly Arrived[]; readonly missing: readonly Unsent[] }> {
  const arrived = (await askForArrived(batchId)) ?? [];
  const left = new Map<string, number>();
  for (const file of arrived) left.set(keyOf(file), (left.get(keyOf(file)) ?? 0) + 1);
  const missing = unsent.filter((file) => {
    const same = left.get(keyOf(file)) ?? 0;
    left.set(keyOf(file), same - 1);
    return same <= 0;
  });
  return { arrived, missing };
}

function keyOf({ path, sizeBytes }: Arrived) {
  return `${sizeBytes} ${path}`;
}

/** Names files in a list, up to a number of them. */
export function nameFiles(list: HTMLElement, files: readonly Unsent[]) {
  const more = files.length - MOST_NAMES;
  const names = [
    ...files.slice(0, MOST_NAMES).map(({ path, why }) => (why === undefined ? path : `${path}: ${why}`)),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
  list.replaceChildren(
    ...names.map((name) => {
      const item = document.createElement("li");
      item.textContent = name;
      return item;
    }),
  );
}

/** An upload that goes on: which of its files are missing. */
export function continueBatch(batchId: string) {
  const known = unsentOf(batchId);
  let missing = known;
  let arrived: ReadonlySet<string> = new Set();
  /** What is missing of a file: it may be chosen by itself now, or with its folder. */
  const missingOf = (path: string) =>
    missing.find(
      (one) => one.path === path || one.path.endsWith(`/${path}`) || path.endsWith(`/${one.path}`),
    );
  return {
    missing: () => missing,
    async update(section?: HTMLElement | null) {
      const now = await compareWithArrived(batchId, missing);
      missing = now.missing;
      arrived = new Set(now.arrived.map(keyOf));
      if (section) nameMissing(section, missing);
    },
    hasSent: (file: Arrived) =>
      missingOf(file.path) === undefined && (known.length > 0 || arrived.has(keyOf(file))),
    take({ path, sizeBytes }: Arrived): string | undefined {
      const found = missingOf(path);
      missing = missing.filter((one) => one !== found);
      return found?.sizeBytes === sizeBytes ? found.idempotencyKey : undefined;
    },
  };
}

/** Says which files of the upload that is continued are missing. */
function nameMissing(section: HTMLElement, files: readonly Unsent[]) {
  if (files.length === 0) return;
  need(section, "[data-missing-text]", HTMLElement).textContent =
    `${counted(files.length, "file")} of this upload ${files.length === 1 ? "is" : "are"} missing. You can choose the whole folder: files that were already sent are skipped.`;
  nameFiles(need(section, "[data-missing-names]", HTMLElement), files);
  section.hidden = false;
}
