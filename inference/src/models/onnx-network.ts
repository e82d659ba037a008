import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { InferenceSession, listSupportedBackends, Tensor } from "onnxruntime-node";
import type { ViewTensor } from "../images/view.ts";
import { inIntegers, readManifest, type Manifest } from "./manifest.ts";
import { networkPath } from "./network-path.ts";
import { outputNamesOf } from "./adapters/outputs.ts";
import type { Answer } from "./read-answer.ts";

export type Provider = "cpu" | "cuda" | "tensorrt";

export interface NetworkOptions {
  readonly provider: Provider;
  readonly threads: number;
  /** Whether to load the network in 8-bit integers if the model has one. */
  readonly integers: boolean;
}

/**
 * A model that is ready to run: its manifest and the one session that all requests share. A run blocks its thread until it
 * ends, so a server runs it in its own thread.
 */
export class Network {
  readonly manifest: Manifest;
  readonly provider: Provider;
  readonly #session: InferenceSession;

  private constructor(manifest: Manifest, provider: Provider, session: InferenceSession) {
    this.manifest = manifest;
    this.provider = provider;
    this.#session = session;
  }

  /**
   * Loads a model by its manifest. The kept manifest describes the file that was loaded.
   * @throws Error if the manifest is invalid, the file's SHA-256 differs from the manifest's, the provider is missing, or the
   * network lacks inputs or outputs that the manifest names.
   */
  static async load(manifestPath: string, options: NetworkOptions): Promise<Network> {
    assertProvider(options.provider);
    const described = await readManifest(manifestPath);
    const manifest = options.integers ? inIntegers(described) : described;
    const bytes = await readNetwork(manifestPath, manifest);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    if (sha256 !== manifest.sha256) {
      throw new Error(
        `The model file ${manifest.file} has SHA-256 ${sha256}; its manifest says ${manifest.sha256}. It is damaged or another version.`,
      );
    }
    const session = await InferenceSession.create(bytes, {
      // CUDA runs what TensorRT does not support.
      executionProviders: options.provider === "tensorrt" ? ["tensorrt", "cuda"] : [options.provider],
      intraOpNumThreads: options.threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: "all",
      // Published networks cause many warnings that cannot be fixed here.
      logSeverityLevel: 3,
      // Threads that spin while they wait would take CPU time from decoding and from the codes reader.
      extra: { "session.intra_op.allow_spinning": "0" },
    }).catch((error: unknown) => {
      throw new Error(`The model ${manifest.id} does not load on ${options.provider}.`, { cause: error });
    });
    assertNames(manifest, session);
    return new Network(manifest, options.provider, session);
  }

  /** Runs views of one size as one batch. The answers have the same order. */
  async run(views: readonly ViewTensor[]): Promise<Answer[]> {
    const [first] = views;
    if (first === undefined) return [];
    const input = inputOf(views, first);
    const outputs = await this.#session.run({ [this.manifest.input.name]: input });
    const answers = views.map(() => new Map<string, Float32Array>());
    for (const [name, tensor] of Object.entries(outputs)) {
      if (!(tensor.data instanceof Float32Array)) throw new Error(`The output ${name} is not float32.`);
      const length = tensor.data.length / views.length;
      for (const [i, answer] of answers.entries())
        answer.set(name, tensor.data.subarray(i * length, (i + 1) * length));
    }
    return answers;
  }

  /** Frees the session's memory. */
  async release(): Promise<void> {
    await this.#session.release();
  }
}

async function readNetwork(manifestPath: string, manifest: Manifest): Promise<Buffer> {
  const { id, file, source } = manifest;
  const place =
    manifest.package === undefined ? "beside its manifest" : `in the package ${manifest.package.name}`;
  const remedy = source === undefined ? "" : ` \`npm run models -- pull ${id}\` fetches it.`;
  const missing = `The model ${id} has no file ${file} ${place}.${remedy}`;
  const path = networkPath(manifestPath, manifest);
  if (path === undefined) throw new Error(missing);
  return readFile(path).catch((error: unknown) => {
    throw new Error(missing, { cause: error });
  });
}

/** Joins views of one size and layout into one tensor. */
function inputOf(views: readonly ViewTensor[], { data, width, height }: ViewTensor): Tensor {
  const isAlone = views.length === 1;
  if (data instanceof Uint8Array) {
    const bytes = isAlone ? data : join(views, new Uint8Array(data.length * views.length));
    return new Tensor("uint8", bytes, [views.length, height, width, 3]);
  }
  const floats = isAlone ? data : join(views, new Float32Array(data.length * views.length));
  return new Tensor("float32", floats, [views.length, 3, height, width]);
}

function join<T extends ViewTensor["data"]>(views: readonly ViewTensor[], all: T): T {
  for (const [i, { data }] of views.entries()) all.set(data, i * data.length);
  return all;
}

function assertProvider(provider: Provider): void {
  const present = listSupportedBackends().map(({ name }) => name);
  if (!present.includes(provider)) {
    throw new Error(
      `PROVIDER=${provider} is not built into this onnxruntime; present: ${present.join(", ")}.`,
    );
  }
}

function assertNames({ id, input, outputs }: Manifest, session: InferenceSession): void {
  const missing = [
    ...[input.name].filter((name) => !session.inputNames.includes(name)).map((name) => `input ${name}`),
    ...outputNamesOf(outputs)
      .filter((name) => !session.outputNames.includes(name))
      .map((name) => `output ${name}`),
  ];
  if (missing.length > 0)
    throw new Error(`The model ${id} lacks what its manifest names: ${missing.join(", ")}.`);
}
