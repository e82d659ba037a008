import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const STOP_GRACE_MS = 8_000;

const END_WITH_PARENT = `--import=${new URL(`../local/end-with-parent.ts?parent=${process.pid}`, import.meta.url).href}`;

/** A child in its own process group, so that everything it starts ends with it. It ends when this process does. */
export class ChildGroup {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;

  constructor(args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.process = spawn(process.execPath, [END_WITH_PARENT, ...args], {
      ...options,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.ended = new Promise((resolve) => {
      this.process.once("exit", () => {
        resolve();
      });
    });
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** Asks the child to stop, waits, and kills the rest of its group. */
  async stop(): Promise<void> {
    signalGroup(this.pid, "SIGTERM");
    await Promise.race([this.ended, delay(STOP_GRACE_MS, undefined, { ref: false })]);
    signalGroup(this.pid, "SIGKILL");
  }
}

/** Sends a signal to a process group. Does nothing if the group has ended. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 1) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

function runningProcesses(): RunningProcess[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid="], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => {
    const [pid = 0, parent = 0, group = 0] = line.trim().split(/\s+/).map(Number);
    return { pid, parent, group };
  });
}

/** Ends the orphans that a killed child left in this process's group: processes whose parent is no longer in the group. */
export function endOrphans(): void {
  const group = runningProcesses().filter((found) => found.group === process.pid);
  const members = new Set(group.map(({ pid }) => pid));
  for (const { pid, parent } of group) {
    if (pid === process.pid || members.has(parent)) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** The command line of a running process; undefined if there is none. */
export function commandOf(pid: number): string | undefined {
  try {
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

/**
 * Systems assign ports from 32768 (Linux) or 49152 (RFC 6335, section 6) to outgoing connections and to callers that accept any port. A
 * lower port stays free until its service listens, and while that service restarts.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;
const PORTS_TRIED = 100;

/** A TCP port of the loopback address that nothing listens on. Throws the system's last error if there is none. */
export async function freePort(): Promise<number> {
  for (let tried = 1; ; tried += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    try {
      await checkPort(port);
      return port;
    } catch (error) {
      if (tried === PORTS_TRIED) throw error;
    }
  }
}

/** Throws the system's error when nothing can listen on a TCP port of the loopback address. */
export async function checkPort(port: number): Promise<void> {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
