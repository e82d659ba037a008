import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, inject } from "vitest";

const SHOWN_LINES = 60;

/** If a test fails, shows the last log lines of the running service, except for answered requests. */
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => {
    const log = await readFile(join(inject("service").directory, "workers.log"), "utf8");
    const told = log.split("\n").filter((line) => !line.includes('"event":"request"'));
    console.error(["The service's log ends so:", ...told.slice(-SHOWN_LINES)].join("\n"));
  });
});
