import { access, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { VeilClient } from "../client.ts";
import { VeilApiError, VeilConnectionError, VeilError, VeilMediaError } from "../errors.ts";
import { OutputExistsError, saveDownload } from "../node/index.ts";
import type { Order } from "./arguments.ts";
import { shown, type Task } from "./inputs.ts";
import { asOffered, possiblePaths } from "./offered-name.ts";
import { uploadInput } from "./upload-input.ts";

/** The current step of a file. `share` is the completed part of the step, if known. */
export type Step =
  | { readonly name: "uploading" | "downloading"; readonly share: number }
  | { readonly name: "redacting"; readonly share: undefined };

/** The result for a file. */
export interface Outcome {
  readonly task: Task;
  readonly mediaId: string | undefined;
  /** Why it is not redacted; undefined if it is. */
  readonly error: Error | undefined;
  readonly durationSeconds: number;
}

/** The shared state of a run. */
export interface Work {
  readonly client: VeilClient;
  readonly order: Order;
  readonly signal: AbortSignal;
  /** Media items on the service whose redacted file is not written yet. */
  readonly unfinished: Set<string>;
  /** The output paths of this run and their files. Another file of the run never replaces one, even with --force. */
  readonly taken: Map<string, Task>;
}

/** Redacts one file from upload to written output. Never throws. */
export async function redactFile(work: Work, task: Task, onStep: (step: Step) => void): Promise<Outcome> {
  const startedAtMs = Date.now();
  let mediaId: string | undefined;
  let error: Error | undefined;
  let { outputPath } = task;
  try {
    const saved = await run({ ...work, task, onStep, onMedia: (id) => (mediaId = id) });
    outputPath = saved ?? outputPath;
  } catch (caught) {
    error = caught instanceof Error ? caught : new VeilError(String(caught));
    for (const [path, holder] of work.taken) if (holder === task) work.taken.delete(path);
  }
  return {
    task: { ...task, outputPath },
    mediaId,
    error,
    durationSeconds: (Date.now() - startedAtMs) / 1000,
  };
}

/** @returns the path of the redacted file; undefined if none was requested */
async function run({
  client,
  order,
  signal,
  unfinished,
  taken,
  task,
  onStep,
  onMedia,
}: Work & { task: Task; onStep: (step: Step) => void; onMedia: (id: string) => void }): Promise<
  string | undefined
> {
  const { input, outputPath, subfolder, isNamed } = task;
  const overwrite = order.isForced;
  // The command checks this before it sends anything, and again when it writes.
  const existing = order.isDetectOnly || overwrite ? undefined : await existingOutput(task);
  if (existing !== undefined) throw new OutputExistsError(existing);
  const { id } = await uploadInput(client, input, {
    categories: order.categories,
    method: order.method,
    ...order.masking,
    detectOnly: order.isDetectOnly ? true : undefined,
    folder: order.folder === undefined || subfolder === "" ? order.folder : `${order.folder}/${subfolder}`,
    metadata: order.metadata,
    signal,
    onProgress: ({ sentBytes, totalBytes }) => onStep({ name: "uploading", share: sentBytes / totalBytes }),
  });
  onMedia(id);
  unfinished.add(id);
  onStep({ name: "redacting", share: undefined });
  const media = await client.wait(id, { signal, timeoutMs: order.timeoutMs });
  if (media.status !== "completed") {
    unfinished.delete(id);
    throw await client.mediaError(media, { signal });
  }
  if (order.isDetectOnly) {
    unfinished.delete(id);
    return undefined;
  }
  await mkdir(dirname(outputPath), { recursive: true });
  const placeOf = ({ filename }: { readonly filename: string | undefined }): string => {
    const path = isNamed ? outputPath : asOffered(outputPath, filename);
    const holder = taken.get(path);
    if (holder !== undefined && holder !== task) throw new OutputTakenError(path, holder);
    taken.set(path, task);
    return path;
  };
  const { path } = await saveDownload(client, id, placeOf, {
    overwrite,
    signal,
    onProgress: ({ receivedBytes, totalBytes }) =>
      onStep({ name: "downloading", share: receivedBytes / (totalBytes ?? receivedBytes) }),
  });
  unfinished.delete(id);
  if (order.isDeleting) await client.delete(id, { signal });
  return path;
}

/** Another file of this run has this output path. */
class OutputTakenError extends VeilError {
  constructor(path: string, { name }: Task) {
    super(`${shown(path)} is the output of ${name}. Redact this file by itself and name its output with -o.`);
  }
}

/** Whether the redacted file of a task exists, in any format. */
export async function hasOutput(task: Task): Promise<boolean> {
  return (await existingOutput(task)) !== undefined;
}

async function existingOutput({ outputPath, isNamed }: Task): Promise<string | undefined> {
  for (const path of isNamed ? [outputPath] : possiblePaths(outputPath)) if (await exists(path)) return path;
  return undefined;
}

/** Whether a path exists. */
export async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** Whether the next file or media item would fail with the same error. */
export function endsAll(error: Error): boolean {
  return error instanceof VeilConnectionError || (error instanceof VeilApiError && error.status === 401);
}

interface Reason {
  readonly code: string;
  /** The service's failure code, for a media item that it could not process. */
  readonly failure_code?: string;
  readonly message: string;
}

/** Why a file is not redacted: a code for programs and a message for people. */
export function reasonOf(error: Error): Reason {
  if (error instanceof VeilApiError) {
    const sentences = Object.values(error.fields).flat();
    const message = sentences.length > 0 ? sentences.join(" ") : error.message;
    return { code: error.code ?? `http_${error.status}`, message };
  }
  if (error instanceof VeilMediaError) {
    const { media, failure, message } = error;
    return { code: media.status, ...(failure === undefined ? {} : { failure_code: failure.code }), message };
  }
  if (error instanceof OutputTakenError) return { code: "output_exists", message: error.message };
  if (error instanceof OutputExistsError)
    return { code: "output_exists", message: `${shown(error.path)} already exists; --force replaces it.` };
  if (error.name === "AbortError") return { code: "interrupted", message: "Interrupted." };
  return { code: CODES[error.name] ?? "file_system", message: error.message };
}

const CODES: Readonly<Record<string, string>> = {
  VeilConnectionError: "connection_failed",
  VeilTimeoutError: "timed_out",
  VeilFileError: "file_not_readable",
};
