import { keepUnsent } from "./upload-kept.ts";
import type { Arrived, Unsent } from "./upload-kept.ts";
import type { continueBatch } from "./upload-arrived.ts";

/**
 * The files that are sent from one page. The upload page takes their address, so that they are still there after a reload.
 *
 * @param continued The upload to continue; empty for a new one, undefined on other pages.
 */
export function createBatch(continued: string | undefined, newId: () => string) {
  const isContinued = continued !== undefined && continued !== "";
  const id = isContinued ? continued : newId();
  let before: Awaited<ReturnType<typeof continueBatch>> | undefined;
  let kept = "";
  return {
    id,
    /**
     * Asks the service which files of the continued upload have arrived.
     *
     * @param section Where the other files are listed.
     */
    async update(section?: HTMLElement | null) {
      if (!isContinued) return;
      const { continueBatch } = await import("./upload-arrived.ts");
      before ??= continueBatch(id);
      await before.update(section);
    },
    /** Whether a file of the continued upload has already arrived. */
    hasSent: (file: Arrived) => before?.hasSent(file) === true,
    /** The idempotency key of a file: that of its first attempt, if it is unknown whether that arrived. */
    take: (file: Arrived) => before?.take(file) ?? newId(),
    /** Called when files begin to be sent. */
    begin() {
      if (continued !== undefined) window.history.replaceState(undefined, "", `/dashboard/batches/${id}`);
    },
    /** Stores which files are not sent yet. */
    keep(files: readonly Unsent[]) {
      const all = [...(before?.missing() ?? []), ...files];
      const key = all.map(({ idempotencyKey, why }) => idempotencyKey + why).join("\n");
      if (key === kept) return;
      kept = key;
      keepUnsent(id, all);
    },
  };
}
