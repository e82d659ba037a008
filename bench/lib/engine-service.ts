import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { EngineInput } from "../../src/work/video/engine/engine.ts";
import type { EngineCommand } from "../../src/work/video/engine/engine-commands.ts";
import {
  controlRecord,
  fileRecords,
  readControl,
  recordHead,
  recordsOf,
  runReportSchema,
} from "../../src/work/video/engine/run-stream.ts";
import { startEngineService } from "../../test/node-support/engine-service-process.ts";

const TOKEN = "a-token-of-the-benchmarks";
const PIECE_BYTES = 1024 * 1024;
const TIMEOUT_MS = 600_000;

/** A running inference service. */
export interface BenchEngineService {
  readonly port: number;
}

/** A run as a client requests it from the service. */
export interface BenchRun {
  readonly command: EngineCommand;
  readonly inputs: Readonly<Record<string, EngineInput>>;
  readonly outputs: readonly string[];
}

/** Starts the inference service with one of its engines, runs `use`, and stops it. */
export async function withEngineService<T>(
  engine: "native" | "wasm",
  use: (service: BenchEngineService) => Promise<T>,
): Promise<T> {
  const { port, child } = await startEngineService(engine, TOKEN);
  try {
    return await use({ port });
  } finally {
    await child.stop();
  }
}

/** Executes a run and returns the size of each output in bytes. @throws when the run does not succeed */
export async function runThere(service: BenchEngineService, run: BenchRun): Promise<readonly number[]> {
  const sent = request({
    port: service.port,
    host: "127.0.0.1",
    method: "POST",
    path: "/v1/run",
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const answered = once(sent, "response") as Promise<[IncomingMessage]>;
  const [[response]] = await Promise.all([answered, pipeline(Readable.from(recordsOfRun(run)), sent)]);
  if (response.statusCode !== 200) throw new Error(`The inference service answered ${response.statusCode}.`);
  const sizesBytes = run.outputs.map(() => 0);
  for await (const { channel, bytes } of recordsOf(response)) {
    if (channel > 0) {
      sizesBytes[channel - 1] = (sizesBytes[channel - 1] ?? 0) + bytes.length;
      continue;
    }
    const report = readControl(runReportSchema, bytes);
    if ("error" in report) throw new Error(`The run ended: ${report.error}.`);
    return sizesBytes;
  }
  throw new Error("The inference service broke off.");
}

async function* recordsOfRun({ command, inputs, outputs }: BenchRun): AsyncGenerator<Uint8Array> {
  yield controlRecord({ command, inputs: Object.keys(inputs), outputs, timeoutMs: TIMEOUT_MS });
  for (const [index, input] of Object.values(inputs).entries()) {
    for (;;) {
      const bytes = await input.read(PIECE_BYTES);
      if (bytes.length === 0) break;
      yield fileRecords(index + 1, bytes);
    }
    yield recordHead(index + 1, 0);
  }
}
