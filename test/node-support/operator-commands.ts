import { join } from "node:path";
import { PassThrough, type Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { vi } from "vitest";

/** Loaded by its path: its types need those of the Workers' runtime, which tests in Node do not have. */
const ADMIN_COMMANDS = join(import.meta.dirname, "../../scripts/lib/admin-commands.ts");

interface AdminCommands {
  readonly runAdmin: (
    args: readonly string[],
    output: { readonly stdout: Writable; readonly stderr: Writable },
  ) => Promise<number>;
}

/** Runs an operator's command and returns what it prints. A command that fails throws an error with its `code`, `stdout` and `stderr`. */
export type OperatorCommand = (...args: string[]) => Promise<string>;

/**
 * Loads the operator's commands into this process, for the data in `directory`. Modules read the folder's place once, when they
 * load. A process for each command would load them for a second each.
 */
export async function operatorCommandsFor(directory: string): Promise<OperatorCommand> {
  vi.stubEnv("VEIL_DIR", directory);
  vi.resetModules();
  const { runAdmin } = (await import(ADMIN_COMMANDS)) as AdminCommands;
  vi.unstubAllEnvs();
  return async (...args) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const [code, printed, said] = await Promise.all([
      runAdmin(args, { stdout, stderr }).finally(() => {
        stdout.end();
        stderr.end();
      }),
      text(stdout),
      text(stderr),
    ]);
    if (code !== 0) throw Object.assign(new Error(said), { code, stdout: printed, stderr: said });
    return printed;
  };
}
