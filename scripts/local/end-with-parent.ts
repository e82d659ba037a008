/**
 * Ends this process and all its children once its parent is gone. A killed supervisor cannot end its children, which would keep their
 * ports and memory. An orphaned process gets another parent, so its parent's ID changes.
 */
import { isMainThread } from "node:worker_threads";

const POLL_MS = 1_000;
const GRACE_MS = 5_000;

/** Forked children are in the same group and end with it. */
if (isMainThread && process.send === undefined) {
  const parent = Number(new URL(import.meta.url).searchParams.get("parent"));
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    signalOwnGroup("SIGTERM");
    setTimeout(() => {
      signalOwnGroup("SIGKILL");
    }, GRACE_MS);
  }, POLL_MS);
  watch.unref();
}

/** Signals the group that this process leads, or only the process if it leads none. */
function signalOwnGroup(signal: NodeJS.Signals): void {
  try {
    process.kill(-process.pid, signal);
  } catch {
    process.kill(process.pid, signal);
  }
}
