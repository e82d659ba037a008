import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ServiceDescription } from "../../scripts/lib/local.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";

const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 60_000;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The service as `npm start` runs it, with its own data folder. Any of its processes may be killed. */
export class LocalService {
  readonly directory: string;
  #child: ChildProcess | undefined;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Starts it, on the same port as before, and waits until it answers. */
  async start(): Promise<void> {
    const port = existsSync(this.#file) ? new URL((await this.describe()).baseUrl).port : undefined;
    const child = spawn(process.execPath, [join(ROOT, "scripts/start.ts")], {
      cwd: ROOT,
      env: { ...process.env, VEIL_DIR: this.directory, ...(port === undefined ? {} : { PORT: port }) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    const log = join(this.directory, "..", "start.log");
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        appendFileSync(log, chunk);
      });
    }
    const until = Date.now() + READY_TIMEOUT_MS;
    // Until then, the file is the description of the previous run.
    while (!existsSync(this.#file) || (await this.describe()).pids[0] !== child.pid) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > until) {
        throw new Error(`The service did not start; see ${log}.`);
      }
      await delay(200);
    }
  }

  async describe(): Promise<ServiceDescription> {
    return JSON.parse(await readFile(this.#file, "utf8")) as ServiceDescription;
  }

  /** The starter and all its descendants. */
  processes(): Process[] {
    const all = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map((line): Process => {
        const [pid = "0", parent = "0", ...command] = line.trim().split(/\s+/);
        return { pid: Number(pid), parent: Number(parent), command: command.join(" ") };
      });
    const family = all.filter(({ pid }) => pid === this.#child?.pid);
    for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid));
    return family;
  }

  /** Whether the starter itself lives. */
  get isAlive(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** Kills one process with SIGKILL. */
  kill({ pid }: Process): void {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  /** Stops it as Ctrl+C does. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isAlive) return;
    child.kill("SIGINT");
    await Promise.race([
      new Promise((resolve) => child.once("exit", resolve)),
      delay(STOP_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }

  get #file(): string {
    return join(this.directory, "service.json");
  }
}
