import { appendFileSync, renameSync, statSync } from "node:fs";
import type { LogLevel } from "../../src/ground/platform/log.ts";

/** A log file that has reached this size becomes the previous one, `FILE.1`, and a new one begins. */
const MAX_LOG_BYTES = 10_000_000;

/**
 * A log of a local process: JSON lines only, in two files of at most `MAX_LOG_BYTES` each. If the disk is full, lines are lost and the
 * service continues, so that files can still be deleted through it.
 */
export class LogFile {
  readonly path: string;
  readonly #maxBytes: number;
  #bytes: number;

  constructor(path: string, maxBytes = MAX_LOG_BYTES) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Adds a line that a process wrote. A line that is not an event, such as a stack trace, becomes the event `output`. */
  write(line: string, level: LogLevel): void {
    if (isEvent(line)) this.#append(line);
    else if (line.trim() !== "") this.event(level, "output", { text: line });
  }

  /** Adds an event. */
  event(level: LogLevel, event: string, fields: Readonly<Record<string, string>>): void {
    this.#append(JSON.stringify({ time: new Date().toISOString(), level, event, ...fields }));
  }

  #append(line: string): void {
    const text = `${line}\n`;
    const bytes = new TextEncoder().encode(text).length;
    try {
      if (this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes) {
        renameSync(this.path, `${this.path}.1`);
        this.#bytes = 0;
      }
      appendFileSync(this.path, text);
      this.#bytes += bytes;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
}

function isEvent(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "event" in value;
  } catch {
    return false;
  }
}

/** The process whose end a log line reports, if any. */
export function endedProcess(line: string): string | undefined {
  return /"event":"process\.ended","service":"([^"]+)"/.exec(line)?.[1];
}
