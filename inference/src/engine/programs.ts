import { fileURLToPath } from "node:url";
import { argumentsFor, type EngineCommand } from "../../../src/work/video/engine/engine-commands.ts";
import type { EngineError } from "../../../src/work/video/engine/engine.ts";
import { errorCodeOfExit } from "../core/exit-codes.ts";

/** The descriptor of a run's first file. Lower ones are standard input, output and error. */
export const FIRST_DESCRIPTOR = 3;

/** The names of a run's files. Their descriptors follow each other in this order, inputs first. */
interface RunFiles {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** A program that runs one command of the video engine and ends. */
export interface EngineProgram {
  readonly executable: string;
  readonly argumentsFor: (command: EngineCommand, files: RunFiles) => string[];
  /** What an exit code other than 0 means. */
  readonly errorCodeOf: (exitCode: number) => EngineError["code"];
}

/** The installed `ffmpeg`. */
export const FFMPEG: EngineProgram = {
  executable: "ffmpeg",
  argumentsFor: (command, { inputs, outputs }) => {
    const names = [...inputs, ...outputs];
    const own = argumentsFor(command).map((argument) =>
      argument.replace(
        /^\{(\w+)\}$/,
        (_whole, name: string) => `pipe:${FIRST_DESCRIPTOR + names.indexOf(name)}`,
      ),
    );
    return ["-nostdin", "-hide_banner", "-loglevel", "error", ...own];
  },
  errorCodeOf: () => "failed",
};

/** `@ffmpeg/core` in its own Node process, because it blocks the thread that calls it, which would stop all other requests. */
export const FFMPEG_CORE: EngineProgram = {
  executable: process.execPath,
  argumentsFor: (command, files) => [
    // The core waits for its files with a WebAssembly feature that this version of Node enables only by a flag.
    "--experimental-wasm-jspi",
    fileURLToPath(new URL("../core/main.ts", import.meta.url)),
    JSON.stringify({ command, ...files, firstDescriptor: FIRST_DESCRIPTOR }),
  ],
  errorCodeOf: errorCodeOfExit,
};
