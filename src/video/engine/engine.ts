import type { EngineCommand } from "./engine-commands.ts";

/** A file that the engine reads from its beginning to its end, a piece at a time. */
export interface EngineInput {
  /**
   * The next bytes, at most `maxBytes` of them; none when the file has ended. They are copied before `read` is called
   * again.
   */
  read(maxBytes: number): Promise<Uint8Array> | Uint8Array;
}

/** A file that the engine writes from its beginning to its end, a piece at a time. */
export interface EngineOutput {
  /** Takes the next bytes. They are valid until the returned promise is settled and must not be kept. */
  write(chunk: Uint8Array): Promise<void> | void;
}

/** One run of the engine. */
export interface EngineRun {
  readonly command: EngineCommand;
  readonly inputs?: Readonly<Record<string, EngineInput>>;
  readonly outputs?: Readonly<Record<string, EngineOutput>>;
  /** Ends the run at its next read or write. */
  readonly signal?: AbortSignal | undefined;
  /** How long the run may take from its beginning; then it ends at its next read or write. */
  readonly timeoutMs: number;
}

/** The result of a successful run. */
export interface EngineReport {
  /** How large the engine's memory has become, over all its runs. */
  readonly memoryBytes: number;
  /** The last lines that the engine wrote, which describe streams and filters; they may quote metadata. */
  readonly logLines: readonly string[];
}

/** Decodes, filters and encodes video. One run at a time; further ones wait. */
export interface VideoEngine {
  /** @throws EngineError, or what a file's `read` or `write` threw */
  run(run: EngineRun): Promise<EngineReport>;
}

/** Why a run did not succeed. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: "failed" | "crashed" | "cancelled" | "timed_out" | "out_of_memory" | "unsupported_runtime";
  /** The engine's last words: for telling faults apart, not for logs, since they may quote metadata. */
  readonly logLines: readonly string[];

  constructor(options: {
    code: EngineError["code"];
    message: string;
    logLines?: readonly string[];
    cause?: unknown;
  }) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.logLines = options.logLines ?? [];
  }
}
