import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { LOCAL_DIRECTORY, STATE_DIRECTORY } from "./local.ts";
import { ChildGroup } from "./processes.ts";
import { QUIET_WRANGLER_ENV, ROOT, WRANGLER } from "./wrangler.ts";

const READY_TIMEOUT_MS = 120_000;
const READY_POLL_MS = 200;
const RESTART_DELAY_MS = 1_000;
/** Local Workers have no cron, so the sweeper is called from here. */
const SWEEP_INTERVAL_MS = 15_000;

interface SupervisorOptions {
  readonly port: number;
  readonly inferencePort: number;
  readonly inferenceToken: string;
  /** Variables of the API Worker, and the configurations of the other Workers with theirs. */
  readonly varsFile: string;
  readonly otherConfigs: readonly string[];
}

/** Starts the inference service and the Workers, starts them again when they die, and stops them. */
export class Supervisor {
  private readonly options: SupervisorOptions;
  private inference: ChildGroup | undefined;
  private workers: ChildGroup | undefined;
  private sweeper: NodeJS.Timeout | undefined;
  private isStopping = false;
  private restarted: (() => Promise<void>) | undefined;

  constructor(options: SupervisorOptions) {
    this.options = options;
  }

  /** The process ids of the inference service and of the Workers. */
  get pids(): number[] {
    return [this.inference, this.workers].flatMap((child) => (child === undefined ? [] : [child.pid]));
  }

  /** Calls back after a child has been started again. */
  onRestart(callback: () => Promise<void>): void {
    this.restarted = callback;
  }

  startInference(): void {
    const child = new ChildGroup([join(ROOT, "inference/src/main.ts")], {
      cwd: ROOT,
      env: {
        ...process.env,
        HOST: "127.0.0.1",
        PORT: String(this.options.inferencePort),
        INFERENCE_TOKEN: this.options.inferenceToken,
      },
    });
    this.inference = child;
    this.watch("inference", child, () => {
      this.startInference();
    });
  }

  startWorkers(): void {
    const configs = ["wrangler.toml", ...this.options.otherConfigs].map((config) => `--config=${config}`);
    const args = [
      WRANGLER,
      "dev",
      ...configs,
      "--ip=127.0.0.1",
      `--port=${this.options.port}`,
      "--inspector-port=0",
      `--persist-to=${STATE_DIRECTORY}`,
      `--env-file=${this.options.varsFile}`,
      "--show-interactive-dev-session=false",
    ];
    const child = new ChildGroup(args, { cwd: ROOT, env: { ...process.env, ...QUIET_WRANGLER_ENV } });
    this.workers = child;
    this.watch("workers", child, () => {
      this.startWorkers();
    });
    this.sweeper ??= setInterval(() => void this.sweep(), SWEEP_INTERVAL_MS);
  }

  /** Resolves once both answer. Throws when one does not in time. */
  async ready(): Promise<void> {
    await Promise.all([
      this.answers(`http://127.0.0.1:${this.options.inferencePort}/readyz`, "The inference service"),
      this.answers(`http://127.0.0.1:${this.options.port}/openapi/v1.json`, "The API Worker"),
    ]);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.sweeper);
    await Promise.all([this.workers?.stop(), this.inference?.stop()]);
  }

  private async answers(url: string, name: string): Promise<void> {
    const until = Date.now() + READY_TIMEOUT_MS;
    while (Date.now() < until) {
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

  private watch(name: string, child: ChildGroup, restart: () => void): void {
    const logFile = join(LOCAL_DIRECTORY, `${name}.log`);
    for (const stream of [child.process.stdout, child.process.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        appendFileSync(logFile, `${line}\n`);
      });
    }
    void this.restartAfter(
      child,
      `The ${name} process ended; starting it again. Its log is ${logFile}.`,
      restart,
    );
  }

  private async restartAfter(child: ChildGroup, notice: string, restart: () => void): Promise<void> {
    await child.ended;
    if (this.isStopping) return;
    // What the child had started must not keep its ports.
    await child.stop();
    console.error(notice);
    await delay(RESTART_DELAY_MS);
    if (this.isStopping) return;
    restart();
    await this.restarted?.();
  }

  private async sweep(): Promise<void> {
    const url = `http://127.0.0.1:${this.options.port}/cdn-cgi/handler/scheduled`;
    await fetch(url, { signal: AbortSignal.timeout(SWEEP_INTERVAL_MS) }).then(
      async (response) => await response.body?.cancel(),
      () => undefined,
    );
  }
}
