import type { Progress, Upload } from "./upload-queue.ts";

const ASK_MS = 1000;
const ASK_SLOW_MS = 4000;
const FAST_ASKS = 30;
/** The most files per request for progress. */
const MOST_ASKED = 100;
const TIMEOUT_MS = 10_000;

interface Answered {
  readonly id: string;
  readonly status: string;
  readonly has_output: boolean;
  readonly progress: number | null;
  readonly failure: string | null;
}

/**
 * Requests the progress of uploaded files until each has ended.
 *
 * @param uploads All files; only those that the service processes are requested.
 */
export function createFollower(
  url: string,
  uploads: () => readonly Upload[],
  onChange: (upload: Upload) => void,
) {
  let isFollowing = false;
  let asks = 0;

  async function ask() {
    const open = uploads().filter(isOpen).slice(0, MOST_ASKED);
    const query = new URLSearchParams(open.map(({ mediaId = "" }) => ["id", mediaId]));
    const answers = await progressOf(`${url}?${query.toString()}`);
    if (answers === undefined) return;
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    for (const upload of open) {
      // A person may have changed it meanwhile.
      if (!isOpen(upload)) continue;
      const progress = progressFrom(byId.get(upload.mediaId ?? ""));
      if (JSON.stringify(progress) === JSON.stringify(upload.progress)) continue;
      upload.progress = progress;
      asks = 0;
      onChange(upload);
    }
  }

  return {
    /** Requests progress as long as a file is being processed. */
    async follow() {
      asks = 0;
      if (isFollowing) return;
      isFollowing = true;
      for (; uploads().some(isOpen); asks++) {
        await new Promise((resolve) => {
          window.setTimeout(resolve, asks < FAST_ASKS ? ASK_MS : ASK_SLOW_MS);
        });
        if (!document.hidden) await ask();
      }
      isFollowing = false;
    },
  };
}

export function isOpen({ progress: { kind } }: Upload) {
  return kind === "queued" || kind === "processing";
}

async function progressOf(url: string): Promise<readonly Answered[] | undefined> {
  try {
    const answer = await fetch(url, {
      headers: { Accept: "application/json" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) return undefined;
    const { media } = (await answer.json()) as { media: readonly Answered[] };
    return media;
  } catch {
    return undefined;
  }
}

/** @param answered Undefined if the media item is deleted. */
function progressFrom(answered: Answered | undefined): Progress {
  switch (answered?.status) {
    case undefined:
      return { kind: "gone" };
    case "processing":
      return { kind: "processing", share: answered.progress };
    case "completed":
      return { kind: "completed", hasOutput: answered.has_output };
    case "failed":
    case "quota_exceeded":
      return { kind: "failed", why: answered.failure ?? "The file could not be redacted." };
    default:
      return { kind: "queued" };
  }
}
