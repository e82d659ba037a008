import { execFile, spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { WORKERS } from "../../../scripts/lib/deployed-workers.ts";
import { workerConfig } from "../../../scripts/lib/worker-configs.ts";
import { deploy } from "../../../scripts/lib/deployment.ts";
import { ENVIRONMENTS, type Environment } from "../../../scripts/lib/environments.ts";
import { readSecrets } from "../../../scripts/lib/secrets-file.ts";
import { ROOT, wranglerAt } from "../../../scripts/lib/wrangler.ts";

/** The parts of a Worker's configuration that the fake needs. */
export interface FakeScript {
  readonly name: string;
  readonly queues: readonly string[];
  readonly databases: readonly string[];
  readonly isPublic: boolean;
}

/** The state of the fake wrangler's account, and the calls so far. */
export interface FakeAccount {
  readonly isSignedIn: boolean;
  readonly address: string;
  readonly databases: string[];
  readonly migrated: string[];
  readonly buckets: string[];
  readonly queues: string[];
  /** Secrets of each Worker by its name. */
  readonly workers: Record<string, Record<string, string>>;
  readonly calls: string[];
  /** By configuration file and environment, with a blank between. */
  readonly scripts: Readonly<Record<string, FakeScript>>;
  /** The next call that begins like this fails. */
  failAt?: string;
  /** Calls that begin like this take ten seconds. */
  hangAt?: string;
}

const EMPTY: FakeAccount = {
  isSignedIn: true,
  address: "http://127.0.0.1:9",
  databases: [],
  migrated: [],
  buckets: [],
  queues: [],
  workers: {},
  calls: [],
  scripts: Object.fromEntries(
    WORKERS.flatMap((worker) =>
      ENVIRONMENTS.map((environment) => [
        `${worker.configFile} ${environment}`,
        scriptOf(worker, environment),
      ]),
    ),
  ),
};

function scriptOf(worker: (typeof WORKERS)[number], environment: Environment): FakeScript {
  const { name, queues, d1_databases: databases } = workerConfig(worker, environment);
  return {
    name,
    queues: [
      ...queues.producers.map(({ queue }) => queue),
      ...queues.consumers.flatMap(({ queue, dead_letter_queue: dead }) => [queue, dead ?? queue]),
    ],
    databases: databases.map((bound) => bound.database_name),
    isPublic: worker.kind === "api",
  };
}

const FAKE_WRANGLER = join(import.meta.dirname, "fake-wrangler.ts");

/** An account that `npm run deploy` is run against, with a fake wrangler in between. */
export class AccountOnDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(change: Partial<FakeAccount> = {}): Promise<AccountOnDisk> {
    const account = new AccountOnDisk(await mkdtemp(join(tmpdir(), "veil-account-")));
    await account.#write({ ...EMPTY, ...change });
    return account;
  }

  async read(): Promise<FakeAccount> {
    return JSON.parse(await readFile(this.#file, "utf8")) as FakeAccount;
  }

  async change(change: Partial<FakeAccount>): Promise<void> {
    await this.#write({ ...(await this.read()), ...change });
  }

  /** Deploys with the fake wrangler. A thrown error is added to the end of the output. */
  async deploy(
    environment: Environment,
    secretsFile?: string,
    configFolder: string = ROOT,
  ): Promise<{ isDone: boolean; output: string }> {
    const lines: string[] = [];
    const fake = wranglerAt(FAKE_WRANGLER);
    try {
      await deploy(
        async (args, options) =>
          await fake(args, {
            ...options,
            environment: { ...options?.environment, FAKE_ACCOUNT: this.#file },
          }),
        {
          environment,
          configFolder,
          folder: await mkdtemp(join(this.folder, "run-")),
          file: secretsFile === undefined ? { secrets: {}, faults: [] } : await readSecrets(secretsFile),
          tell: (line) => lines.push(line),
        },
      );
      return { isDone: true, output: lines.join("\n") };
    } catch (error) {
      return { isDone: false, output: [...lines, String(error)].join("\n") };
    }
  }

  /** Runs the deploy command itself to its end. */
  async runCommand(...args: string[]): Promise<{ isDone: boolean; output: string }> {
    return await new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(ROOT, "scripts/deploy.ts"), `--wrangler=${FAKE_WRANGLER}`, ...args],
        { env: { ...process.env, FAKE_ACCOUNT: this.#file } },
        (error, stdout, stderr) => {
          resolve({ isDone: error === null, output: stdout + stderr });
        },
      );
    });
  }

  /** Starts the deploy command, with a folder of its own for temporary files. */
  start(...args: string[]): {
    child: ChildProcessByStdio<null, Readable, null>;
    temporary: string;
    ended: Promise<unknown>;
  } {
    const temporary = mkdtempSync(join(this.folder, "tmp-"));
    const child = spawn(
      process.execPath,
      [join(ROOT, "scripts/deploy.ts"), `--wrangler=${FAKE_WRANGLER}`, ...args],
      {
        env: { ...process.env, FAKE_ACCOUNT: this.#file, TMPDIR: temporary },
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    return { child, temporary, ended: once(child, "exit") };
  }

  get #file(): string {
    return join(this.folder, "account.json");
  }

  async #write(account: FakeAccount): Promise<void> {
    await writeFile(this.#file, JSON.stringify(account));
  }
}
