import type { EngineCommand } from "./engine-commands.ts";

/** A file that the engine reads from its beginning to its end, a piece at a time. */
export interface EngineInput {
  /**
   * Returns the next bytes, at most `maxBytes`, or none at the end of the file. The engine copies them before it calls `read`
   * again.
   */
  read(maxBytes: number): Promise<Uint8Array> | Uint8Array;
}

/** A file that the engine writes from its beginning to its end, a piece at a time. */
export interface EngineOutput {
  /** Receives the next bytes. They are valid until the returned promise settles, so keep no reference to them. */
  write(chunk: Uint8Array): Promise<void> | void;
}

/** One run of the engine. */
export interface EngineRun {
  readonly command: EngineCommand;
  readonly inputs?: Readonly<Record<string, EngineInput>>;
  readonly outputs?: Readonly<Record<string, EngineOutput>>;
  /** Ends the run at its next read or write. */
  readonly signal?: AbortSignal | undefined;
  /** How long the run may take. After that, it ends at its next read or write. */
  readonly timeoutMs: number;
}

/** The result of a successful run. */
export interface EngineReport {
  /** The largest size of the engine's memory over all its runs. */
  readonly memoryBytes: number;
  /** The engine's last log lines, which describe streams and filters. They may quote metadata. */
  readonly logLines: readonly string[];
}

/** Decodes, filters and encodes video, one run at a time. Further runs wait. */
export interface VideoEngine {
  /** Whether its files stay in this process. Raw frames are too large for a network. */
  readonly isLocal: boolean;
  /** @throws EngineError, or what a file's `read` or `write` threw */
  run(run: EngineRun): Promise<EngineReport>;
}

/** Why a run did not succeed. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: "failed" | "crashed" | "cancelled" | "timed_out" | "out_of_memory" | "unsupported_runtime";
  /** The engine's last log lines, to tell faults apart. They may quote metadata, so they must not be logged. */
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
