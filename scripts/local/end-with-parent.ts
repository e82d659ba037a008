/**
 * Ends this process, and all it started, once the one that started it is gone: a supervisor that is killed ends nothing itself, and what
 * stays would hold its ports and its memory. A process without a parent is given to another one, so its parent's id changes.
 */
import { isMainThread } from "node:worker_threads";

const POLL_MS = 1_000;
const GRACE_MS = 5_000;

/** A process that was forked by such a one ends with it, as its group does. */
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

/** Signals the group that this process leads, or the process alone where it leads none. */
function signalOwnGroup(signal: NodeJS.Signals): void {
  try {
    process.kill(-process.pid, signal);
  } catch {
    process.kill(process.pid, signal);
  }
}
