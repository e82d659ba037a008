import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ChildGroup, freePort } from "../../scripts/lib/processes.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { writeTinyModel } from "../../inference/scripts/make-tiny-model.ts";

/** An inference service in its own process. */
export interface EngineServiceProcess {
  readonly port: number;
  readonly child: ChildGroup;
}

/** Starts the inference service with one of its video engines and a tiny model. @throws if it ends before it listens */
export async function startEngineService(
  engine: "native" | "wasm" | "auto",
  token: string,
): Promise<EngineServiceProcess> {
  const port = await freePort();
  const models = await mkdtemp(join(tmpdir(), "veil-models-"));
  await writeTinyModel(models);
  const child = new ChildGroup([join(ROOT, "inference/src/main.ts")], {
    cwd: ROOT,
    env: {
      ...process.env,
      HOST: "127.0.0.1",
      PORT: String(port),
      INFERENCE_TOKEN: token,
      FFMPEG: engine,
      MODELS_DIR: models,
    },
  });
  const { stdout, stderr } = child.process;
  if (stdout === null || stderr === null) throw new Error("The inference service has no output.");
  stderr.pipe(process.stderr);
  const lines = createInterface({ input: stdout });
  // Its first line says that it listens.
  const isListening = await Promise.race([
    once(lines, "line").then(() => true),
    child.ended.then(() => false),
  ]);
  // The service has already read its model.
  await rm(models, { recursive: true });
  if (!isListening) throw new Error("The inference service ended at its start.");
  return { port, child };
}
