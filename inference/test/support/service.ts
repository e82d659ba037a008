import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnv } from "../../src/platform/env.ts";
import { createLog } from "../../src/platform/log.ts";
import { startService } from "../../src/service.ts";
import { writeTinyModel, type TinyLayout } from "../../scripts/make-tiny-model.ts";

export const TOKEN = "a-token-for-the-tests";

export interface TestService {
  readonly url: string;
  /** Posts a detection request; `init` replaces headers or the signal. */
  readonly detect: (request: unknown, frames: readonly Uint8Array[], init?: RequestInit) => Promise<Response>;
  readonly stop: () => Promise<void>;
}

export interface TestServiceOptions {
  readonly env?: Record<string, string>;
  /** Top-level fields of the tiny model's manifest. */
  readonly manifest?: Record<string, unknown>;
  /** How the tiny model takes pixels. */
  readonly layout?: TinyLayout;
  /** Puts more files into the folder of models before the service starts. */
  readonly prepare?: (folder: string) => Promise<void>;
}

/** A folder of its own, and how to be rid of it. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "veil-inference-"));
  return { path, remove: async () => rm(path, { recursive: true, force: true }) };
}

/** Starts the real service on a free port, with the tiny model unless MODELS_DIR is given. */
export async function startTestService({
  env = {},
  manifest,
  layout,
  prepare,
}: TestServiceOptions = {}): Promise<TestService> {
  const folder = await temporaryFolder();
  await writeTinyModel(folder.path, manifest, layout);
  await prepare?.(folder.path);
  const settings = readEnv({
    PORT: "0",
    INFERENCE_TOKEN: TOKEN,
    MODELS_DIR: folder.path,
    WORKER_THREADS: "2",
    MODEL_THREADS: "1",
    STOP_TIMEOUT_SECONDS: "5",
    // Found without asking an installed ffmpeg what it can do.
    FFMPEG: "wasm",
    ...env,
  });
  const service = await startService(settings, createLog("silent"));
  const url = `http://127.0.0.1:${service.port}`;
  return {
    url,
    detect: async (request, frames, init = {}) =>
      fetch(`${url}/v1/detections`, {
        method: "POST",
        body: formOf(request, frames),
        headers: { authorization: `Bearer ${TOKEN}` },
        ...init,
      }),
    stop: async () => {
      await service.stop();
      await folder.remove();
    },
  };
}

/** The multipart body of a detection request. */
export function formOf(request: unknown, frames: readonly Uint8Array[]): FormData {
  const form = new FormData();
  form.append("request", new Blob([JSON.stringify(request)], { type: "application/json" }));
  for (const frame of frames) form.append("frames", new Blob([Uint8Array.from(frame)]), "ignored.bin");
  return form;
}
