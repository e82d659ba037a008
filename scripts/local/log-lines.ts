import { Log, LogLevel } from "miniflare";
import { log } from "../../src/ground/platform/log.ts";

const CRASH = /runtime crashed unexpectedly/;
const IS_LOCKED = /database is locked|SQLITE_BUSY/;
const ERROR_LEVEL = /"level":"error"/;

/** Miniflare's messages about a workerd as events. Log lines of its Workers arrive separately. */
export class RuntimeLog extends Log {
  readonly #service: string;

  /** @param service the name of the service in the workerd */
  constructor(service: string) {
    super(LogLevel.WARN);
    this.#service = service;
  }

  override logWithLevel(level: LogLevel, message: string): void {
    if (level > LogLevel.WARN) return;
    if (CRASH.test(message)) log("error", "process.ended", { service: `workerd of ${this.#service}` });
    else log(level === LogLevel.ERROR ? "error" : "warn", "output", { text: message });
  }
}

/**
 * A Worker's line as it is logged here. Several processes write the simulated D1, so a task of a sweep may find it locked, which cannot
 * happen in a deployment. The next sweep repeats the task 15 seconds later, so this is only a warning.
 */
export function localLine(line: string): string {
  return line.includes('"event":"sweep.fault"') && IS_LOCKED.test(line)
    ? line.replace(ERROR_LEVEL, '"level":"warn"')
    : line;
}
