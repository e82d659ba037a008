#!/usr/bin/env node
import { parseOrder, UsageError } from "./arguments.js";
import { EXIT } from "./exit-codes.js";
import { redactFiles } from "./redact-files.js";
import { USAGE } from "./usage.js";
// Whoever read the output has left; the files are still wanted.
process.stdout.on("error", () => undefined);
try {
    const order = parseOrder(process.argv.slice(2), process.env);
    if (order === undefined)
        process.stdout.write(USAGE);
    else
        process.exitCode = await redactFiles(order);
}
catch (fault) {
    process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
    process.exitCode = fault instanceof UsageError ? EXIT.usage : EXIT.stopped;
}
