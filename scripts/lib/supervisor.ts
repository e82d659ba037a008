import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import { LOCAL_DIRECTORY } from "./local.ts";
import { LogFile, endedProcess } from "./log-file.ts";
import { ChildGroup } from "./processes.ts";
import { QUIET_WRANGLER_ENV, ROOT } from "./wrangler.ts";

const READY_TIMEOUT_MS = 120_000;
const READY_POLL_MS = 200;
const RESTART_DELAY_MS = 1_000;
/** If a part ends this often before all parts are ready, it cannot start. */
const MAX_ENDS_BEFORE_READY = 5;

interface SupervisorOptions {
  readonly port: number;
  readonly inferencePort: number;
  readonly inferenceToken: string;
  /** The Workers' variables, as `scripts/workers.ts` reads them. */
  readonly variablesFile: string;
}

/** Starts the inference service and the Workers, restarts them when they die, and stops them. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #inference: ChildGroup | undefined;
  #workers: ChildGroup | undefined;
  #isStopping = false;
  #restarted: (() => Promise<void>) | undefined;
  #isReady = false;
  #endsBeforeReady = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** The process IDs of the inference service and the Workers. */
  get pids(): number[] {
    return [this.#inference, this.#workers].flatMap((child) => (child === undefined ? [] : [child.pid]));
  }

  /** Calls back after a child has been started again. */
  onRestart(callback: () => Promise<void>): void {
    this.#restarted = callback;
  }

  startInference(): void {
    const child = new ChildGroup([join(ROOT, "inference/src/main.ts")], {
      cwd: ROOT,
      env: {
        ...process.env,
        HOST: "127.0.0.1",
        PORT: String(this.#options.inferencePort),
        INFERENCE_TOKEN: this.#options.inferenceToken,
      },
    });
    this.#inference = child;
    this.#watch("inference", child, () => {
      this.startInference();
    });
  }

  startWorkers(): void {
    const { port, variablesFile } = this.#options;
    const child = new ChildGroup(
      // Node removes the types from a Worker's source with a feature that it calls experimental.
      [
        "--disable-warning=ExperimentalWarning",
        `--import=${pathToFileURL(join(ROOT, "scripts/local/config-growth.ts")).href}`,
        join(ROOT, "scripts/workers.ts"),
        `--port=${port}`,
        `--variables=${variablesFile}`,
      ],
      { cwd: ROOT, env: { ...process.env, ...QUIET_WRANGLER_ENV } },
    );
    this.#workers = child;
    this.#watch("workers", child, () => {
      this.startWorkers();
    });
  }

  /**
   * Resolves once all parts answer. The API is the last of the Workers to do so. Throws if a part does not answer in time or ends
   * repeatedly.
   */
  async ready(): Promise<void> {
    await Promise.all([
      this.#answers(`http://127.0.0.1:${this.#options.inferencePort}/readyz`, "The inference service"),
      this.#answers(`http://127.0.0.1:${this.#options.port}/openapi/v1.json`, "The API Worker"),
    ]);
    this.#isReady = true;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([this.#workers?.stop(), this.#inference?.stop()]);
  }

  async #answers(url: string, name: string): Promise<void> {
    const until = Date.now() + READY_TIMEOUT_MS;
    while (Date.now() < until) {
      if (this.#endsBeforeReady >= MAX_ENDS_BEFORE_READY) {
        throw new Error(`A part of Veil would not start; see the logs in ${LOCAL_DIRECTORY}.`);
      }
      const isReady = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
        async (response) => {
          await response.body?.cancel();
          return response.ok;
        },
        () => false,
      );
      if (isReady) return;
      await delay(READY_POLL_MS);
    }
    throw new Error(
      `${name} was not ready within ${READY_TIMEOUT_MS / 1000} s; see the logs in ${LOCAL_DIRECTORY}.`,
    );
  }

  #watch(name: string, child: ChildGroup, restart: () => void): void {
    const logFile = new LogFile(join(LOCAL_DIRECTORY, `${name}.log`));
    for (const [stream, level] of [
      [child.process.stdout, "info"],
      [child.process.stderr, "error"],
    ] as const) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        logFile.write(line, level);
        const ended = endedProcess(line);
        if (ended !== undefined) tellEnded(ended, logFile);
      });
    }
    void this.#restartAfter(child, { name, logFile, restart });
  }

  async #restartAfter(
    child: ChildGroup,
    { name, logFile, restart }: { name: string; logFile: LogFile; restart: () => void },
  ): Promise<void> {
    await child.ended;
    if (this.#isStopping) return;
    if (!this.#isReady) this.#endsBeforeReady++;
    // The child's own children must not keep its ports.
    await child.stop();
    logFile.event("error", "process.ended", { service: name });
    tellEnded(name, logFile);
    await delay(RESTART_DELAY_MS);
    if (this.#isStopping) return;
    restart();
    try {
      await this.#restarted?.();
    } catch (error) {
      console.error(`Could not record the running processes: ${String(error)}`);
    }
  }
}

function tellEnded(name: string, logFile: LogFile): void {
  console.error(`The ${name} process ended; starting it again. Its log is ${logFile.path}.`);
}
