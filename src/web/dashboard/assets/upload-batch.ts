import { keepUnsent } from "./upload-kept.ts";
import type { Arrived, Unsent } from "./upload-kept.ts";
import type { continueBatch } from "./upload-arrived.ts";

/**
 * The files that are sent from one page. The page for uploads takes their address, so that they are there when it is loaded anew.
 *
 * @param continued The upload that is continued; empty for a new one, undefined on other pages.
 */
export function createBatch(continued: string | undefined, newId: () => string) {
  const isContinued = continued !== undefined && continued !== "";
  const id = isContinued ? continued : newId();
  let before: Awaited<ReturnType<typeof continueBatch>> | undefined;
  let kept = "";
  return {
    id,
    /**
     * Asks the service which files of the upload that is continued have arrived.
     *
     * @param section Where the others are named.
     */
    async update(section?: HTMLElement | null) {
      if (!isContinued) return;
      const { continueBatch } = await import("./upload-arrived.ts");
      before ??= continueBatch(id);
      await before.update(section);
    },
    /** Whether a file of the upload that is continued has arrived already. */
    hasSent: (file: Arrived) => before?.hasSent(file) === true,
    /** The key under which a file is sent: that of its first sending, where it was not known to arrive. */
    take: (file: Arrived) => before?.take(file) ?? newId(),
    /** Files begin to be sent. */
    begin() {
      if (continued !== undefined) window.history.replaceState(undefined, "", `/dashboard/batches/${id}`);
    },
    /** These are not sent yet. */
    keep(files: readonly Unsent[]) {
      const all = [...(before?.missing() ?? []), ...files];
      const key = all.map(({ idempotencyKey, why }) => idempotencyKey + why).join("\n");
      if (key === kept) return;
      kept = key;
      keepUnsent(id, all);
    },
  };
}
