#!/usr/bin/env node
import { UsageError } from "./option-values.ts";
import { prepare } from "./commands.ts";
import { EXIT } from "./exit-codes.ts";

// The process that reads the output has ended, but the user still wants the files.
process.stdout.on("error", () => undefined);

try {
  process.exitCode = await prepare(process.argv.slice(2), process.env)();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.stopped;
}
