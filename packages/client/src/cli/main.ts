#!/usr/bin/env node
import { parseOrder, UsageError } from "./arguments.ts";
import { EXIT } from "./exit-codes.ts";
import { parseCorrection } from "./correction-arguments.ts";
import { detect } from "./detect.ts";
import { redactFiles } from "./redact-files.ts";
import { revise } from "./revise.ts";
import { USAGE } from "./usage.ts";

// Whoever read the output has left; the files are still wanted.
process.stdout.on("error", () => undefined);

try {
  const args = process.argv.slice(2);
  const correction = parseCorrection(args, process.env);
  const order = correction === undefined ? parseOrder(args, process.env) : undefined;
  if (correction?.command === "detect") process.exitCode = await detect(correction);
  else if (correction?.command === "revise") process.exitCode = await revise(correction);
  else if (order === undefined) process.stdout.write(USAGE);
  else process.exitCode = await redactFiles(order);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.stopped;
}
