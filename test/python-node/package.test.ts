import { test } from "vitest";
import { NO_PYTHON, findPython, runPython } from "../node-support/python.ts";

const python = await findPython();

test.for([
  ["ruff", "check"],
  ["ruff", "format", "--check"],
  ["mypy"],
  ["pytest", "-q", "-m", "not service"],
] as const)("%s", async (args, { skip }) => {
  if (python === undefined) return skip(NO_PYTHON);
  await runPython(python, ["-m", ...args]);
});
