import { execFile } from "node:child_process";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./wrangler.ts";

const run = promisify(execFile);

/** Where the client lies as JavaScript, made when npm installs: what `npx veil` runs, on any Node. */
export const CLIENT_DIRECTORY = join(ROOT, "packages/client/dist");

/** Compiles the client's package into a folder, in the place of whatever is there. */
export async function buildClient(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  await run(
    process.execPath,
    [compiler, "-p", "packages/client/tsconfig.build.json", "--outDir", directory],
    {
      cwd: ROOT,
    },
  );
  await chmod(join(directory, "cli/main.js"), 0o755);
}
