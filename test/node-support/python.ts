import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../scripts/lib/wrangler.ts";

const run = promisify(execFile);

const PYTHON_PACKAGE = join(ROOT, "packages/python");
export const NO_PYTHON =
  "Python 3.10 or newer with the development packages of packages/python is missing; packages/python/README.md says how to install them.";

const IMPORTS =
  "import sys, build, cryptography, datamodel_code_generator, hatchling, httpx, mypy, pytest, ruff, trio";

/**
 * A Python that can test the Python package: the one that `VEIL_PYTHON` names, or else the package's own environment, or else the shell's.
 * Undefined if none of them is new enough and has the packages that the tests need.
 */
export async function findPython(): Promise<string | undefined> {
  const own = join(PYTHON_PACKAGE, ".venv/bin/python");
  const named = process.env["VEIL_PYTHON"];
  const candidates = named === undefined ? [...(existsSync(own) ? [own] : []), "python3"] : [named];
  for (const candidate of candidates) {
    const isFit = await run(candidate, ["-c", `${IMPORTS}; assert sys.version_info >= (3, 10)`]).then(
      () => true,
      () => false,
    );
    if (isFit) return candidate;
  }
  return undefined;
}

/** Runs Python in the folder of the package. @throws with its whole output if it fails */
export async function runPython(
  python: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const { stdout } = await run(python, [...args], {
      cwd: PYTHON_PACKAGE,
      env: { ...process.env, PYTHONPATH: "src", ...env },
    });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`python ${args.join(" ")} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}
