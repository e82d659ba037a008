import { mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { LogLevel } from "miniflare";
import { LogFile, endedProcess } from "../../scripts/lib/log-file.ts";
import { RuntimeLog, localLine } from "../../scripts/local/log-lines.ts";

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "veil-logs-"));
});

afterAll(async () => await rm(directory, { recursive: true, force: true }));

async function linesOf(path: string): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(path, "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("every line is an event: one that is passes as it came, and what a process prints besides becomes one", async () => {
  const path = join(directory, "mixed.log");
  const log = new LogFile(path);
  const event = '{"time":"2026-01-01T00:00:00.000Z","level":"info","event":"listening"}';
  for (const line of [event, "Error: out of memory", "", "{not JSON", '{"a":1}']) log.write(line, "error");
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
  expect(await linesOf(path)).toEqual([
    JSON.parse(event),
    ...["Error: out of memory", "{not JSON", '{"a":1}'].map((text) => ({
      time,
      level: "error",
      event: "output",
      text,
    })),
  ]);
});

test("a log never grows beyond its limit, keeps the latest lines, and counts what an earlier run has left", async () => {
  const path = join(directory, "long.log");
  for (let run = 0; run < 5; run += 1) {
    const log = new LogFile(path, 2_000);
    for (let line = 0; line < 50; line += 1)
      log.event("info", "counted", { number: String(run * 50 + line) });
  }
  expect((await readdir(directory)).filter((name) => name.startsWith("long")).sort()).toEqual([
    "long.log",
    "long.log.1",
  ]);
  for (const name of [path, `${path}.1`]) expect((await stat(name)).size).toBeLessThanOrEqual(2_000);
  const numbers = [...(await linesOf(`${path}.1`)), ...(await linesOf(path))].map(({ number }) =>
    Number(number),
  );
  expect(numbers.at(-1)).toBe(249);
  expect(numbers).toEqual(numbers.map((_, index) => 250 - numbers.length + index));
});

test("a workerd that crashed is an error that the terminal repeats, and other output of Miniflare keeps its level", () => {
  const lines: [string, string][] = [];
  for (const level of ["error", "warn"] as const)
    vi.spyOn(console, level).mockImplementation((line: string) => lines.push([level, line]));
  const runtime = new RuntimeLog("veil-api");
  runtime.warn("The Workers runtime crashed unexpectedly and is being restarted (crash #1).");
  runtime.warn("Something is old");
  runtime.info("Ready");
  vi.restoreAllMocks();
  expect(lines.map(([level, line]) => [level, JSON.parse(line) as unknown])).toEqual([
    [
      "error",
      expect.objectContaining({ level: "error", event: "process.ended", service: "workerd of veil-api" }),
    ],
    ["warn", expect.objectContaining({ level: "warn", event: "output", text: "Something is old" })],
  ]);
  expect(lines.map(([, line]) => endedProcess(line))).toEqual(["workerd of veil-api", undefined]);
  expect(LogLevel.WARN).toBeGreaterThan(LogLevel.ERROR);
});

function fault(faultMessage: string): string {
  return JSON.stringify({ level: "error", event: "sweep.fault", chore: "keys", faultMessage });
}

test("a chore that finds the local database locked is a warning; any other fault stays an error", () => {
  expect(localLine(fault("D1_ERROR: database is locked: SQLITE_BUSY"))).toContain('"level":"warn"');
  for (const line of [
    fault("no such table"),
    '{"level":"error","event":"request.fault","text":"SQLITE_BUSY"}',
  ])
    expect(localLine(line)).toBe(line);
});
