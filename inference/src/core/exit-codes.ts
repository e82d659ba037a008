import type { EngineError } from "../../../src/work/video/engine/engine.ts";

/** The exit codes by which the core's process says why a run failed. Node itself uses 1 to 13. */
const EXIT_CODES = {
  failed: 20,
  crashed: 21,
  cancelled: 22,
  timed_out: 23,
  out_of_memory: 24,
  unsupported_runtime: 25,
} as const satisfies Record<EngineError["code"], number>;

/** The exit code for a failure. */
export function exitCodeOf(code: EngineError["code"]): number {
  return EXIT_CODES[code];
}

/** The failure that an exit code means. */
export function errorCodeOfExit(exitCode: number): EngineError["code"] {
  const codes = Object.keys(EXIT_CODES) as EngineError["code"][];
  return codes.find((code) => EXIT_CODES[code] === exitCode) ?? "crashed";
}
