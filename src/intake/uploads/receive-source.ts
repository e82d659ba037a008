import type { ApiEnv } from "../../ground/platform/env.ts";
import { SECOND_MS } from "../../ground/platform/clock.ts";
import { validationFailed } from "../../ground/platform/errors.ts";
import { bodyChunks, uploadPaceOf } from "./body/body-chunks.ts";
import type { FileLimits } from "./files/file-limits.ts";
import {
  FileReader,
  addFault,
  type FileSink,
  type FormFaults,
  type ReceivedFile,
} from "./files/file-reader.ts";
import { MultipartError } from "./body/multipart.ts";
import { SourceError, openSource, type OpenSource } from "./source-fetch.ts";
import type { Source } from "./source-url.ts";

/** The outcome of fetching a source, for the log. */
export interface SourceOutcome {
  readonly redirects: number;
}

/**
 * Fetches a source into a sink with constant memory. Its headers' size and type are ignored.
 *
 * @throws VeilError 422 on `source_url` if it cannot be fetched completely, in time and within the limits
 */
export async function receiveSource(
  source: Source,
  options: {
    readonly config: ApiEnv;
    readonly sink: FileSink;
    readonly limits: FileLimits;
    readonly onChunk: () => Promise<void>;
  },
): Promise<{ file: ReceivedFile; outcome: SourceOutcome }> {
  const faults: FormFaults = new Map();
  try {
    const opened = await openSource(options.config, source);
    try {
      const file = await readFile(source, opened, { ...options, faults });
      if (file !== undefined && faults.size === 0) return { file, outcome: { redirects: opened.redirects } };
    } finally {
      opened.close();
    }
  } catch (error) {
    if (!(error instanceof SourceError || error instanceof MultipartError)) throw error;
    addFault(faults, "source_url", error.message);
  }
  throw validationFailed(Object.fromEntries(faults));
}

async function readFile(
  { filename }: Source,
  { body }: OpenSource,
  options: {
    readonly config: ApiEnv;
    readonly sink: FileSink;
    readonly limits: FileLimits;
    readonly onChunk: () => Promise<void>;
    readonly faults: FormFaults;
  },
): Promise<ReceivedFile | undefined> {
  const { config, sink, limits, onChunk, faults } = options;
  const chunks = bodyChunks(body, {
    pace: { ...uploadPaceOf(config), totalTimeoutMs: config.SOURCE_URL_TIMEOUT_SECONDS * SECOND_MS },
    // The file reader reports its own limit as soon as it is exceeded.
    maxBytes: Number.MAX_SAFE_INTEGER,
    tooLarge: "",
    subject: "The file",
    onChunk,
  });
  try {
    const reader = new FileReader({ field: "source_url", faults, sink, limits });
    return (await reader.read(filename, chunks)).file;
  } finally {
    await chunks.return();
  }
}
