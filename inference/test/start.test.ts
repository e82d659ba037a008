import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tinyManifest, tinyModel, writeTinyModel } from "../scripts/make-tiny-model.ts";
import { readManifest } from "../src/models/manifest.ts";
import { Network } from "../src/models/onnx-network.ts";
import { prepareTensorRt } from "../src/models/tensorrt-environment.ts";
import { readEnv } from "../src/platform/env.ts";
import { startTestService, temporaryFolder, TOKEN } from "./support/service.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const models = fileURLToPath(new URL("../models/", import.meta.url));

function readWrong(): unknown {
  return readEnv({ PORT: "none", PROVIDER: "tpu", INFERENCE_TOKEN: "secret" });
}

describe("the environment", () => {
  it("is checked as a whole, and the token is not repeated", () => {
    expect(readWrong).toThrow(
      /PORT.*INFERENCE_TOKEN.*PROVIDER|PORT.*PROVIDER.*INFERENCE_TOKEN|INFERENCE_TOKEN.*PROVIDER/s,
    );
    expect(readWrong).not.toThrow(/"?secret"?/);
  });

  it("has defaults for all but the token", () => {
    expect(readEnv({ INFERENCE_TOKEN: TOKEN })).toMatchObject({
      PORT: 8080,
      PROVIDER: "cpu",
      MAX_FRAMES: 64,
    });
    expect(readEnv({ INFERENCE_TOKEN: TOKEN, MODELS: "a, b" }).MODELS).toEqual(["a", "b"]);
  });
});

describe("half precision", () => {
  const env = { INFERENCE_TOKEN: TOKEN, PRECISION: "half" };

  it("is for TensorRT alone", () => {
    expect(() => readEnv({ ...env, PROVIDER: "cuda" })).toThrow(
      /PRECISION is "half": half needs PROVIDER=tensorrt/,
    );
  });

  it("is what TensorRT's provider reads of the process, and nobody else's", () => {
    const environment: Record<string, string | undefined> = {};
    prepareTensorRt(readEnv({ INFERENCE_TOKEN: TOKEN }), environment);
    expect(environment).toEqual({});
    prepareTensorRt(readEnv({ ...env, PROVIDER: "tensorrt", TENSORRT_CACHE_DIR: "/cache" }), environment);
    expect(environment).toEqual({
      ORT_TENSORRT_FP16_ENABLE: "1",
      ORT_TENSORRT_ENGINE_CACHE_ENABLE: "1",
      ORT_TENSORRT_CACHE_PATH: "/cache",
    });
  });
});

describe("a model", () => {
  it("whose file is not what its manifest says does not start", async () => {
    const folder = await temporaryFolder();
    await writeTinyModel(folder.path);
    await writeFile(join(folder.path, "tiny.onnx"), Buffer.concat([tinyModel(), Buffer.from([0])]));
    await expect(startTestService({ env: { MODELS_DIR: folder.path } })).rejects.toThrow(
      /tiny.onnx has SHA-256/,
    );
    await folder.remove();
  });

  it.each([
    [{ thresholds: { heads: 0.5 } }, /thresholds: has no threshold for writing/],
    [{ sha256: "12" }, /sha256/],
    [{ file: "../tiny.onnx" }, /file/],
    [{ surprise: 1 }, /surprise/],
    [
      { tiling: { min_source_long_side: 1, size: 100, overlap: 0, text: true } },
      /tiling: size must be a multiple of 8/,
    ],
    [{ scales: [] }, /scales/],
  ])("with a wrong manifest says what is wrong: %j", async (changes, expected) => {
    const folder = await temporaryFolder();
    await writeTinyModel(folder.path, changes);
    await expect(readManifest(join(folder.path, "tiny.json"))).rejects.toThrow(expected);
    await folder.remove();
  });

  it("that lacks an output its manifest names does not start", async () => {
    const folder = await temporaryFolder();
    const { outputs } = z.looseObject({ outputs: z.looseObject({}) }).parse(tinyManifest(tinyModel()));
    await writeTinyModel(folder.path, { outputs: { ...outputs, boxes: "corners" } });
    const load = Network.load(join(folder.path, "tiny.json"), {
      provider: "cpu",
      threads: 1,
      integers: true,
    });
    await expect(load).rejects.toThrow(/lacks what its manifest names: output corners/);
    await folder.remove();
  });

  it.each(["cuda", "tensorrt"])("asked to run on %s where there is none does not start", async (provider) => {
    await expect(startTestService({ env: { PROVIDER: provider } })).rejects.toThrow(
      new RegExp(`does not load on ${provider}`),
    );
  });

  it.each([true, false])("that is bundled has a manifest and a card; in integers: %s", async (integers) => {
    const path = join(models, "veil-detector.json");
    const manifest = await readManifest(path);
    expect(manifest.card).toBe("veil-detector.md");
    const network = await Network.load(path, { provider: "cpu", threads: 1, integers });
    expect(network.manifest.sha256).toBe(integers ? manifest.integers?.sha256 : manifest.sha256);
    await network.release();
  });
});

function run(env: Record<string, string>): ReturnType<typeof spawn> {
  return spawn(process.execPath, [main], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe("the process", () => {
  it("says in one line where it listens, and stops when asked", async () => {
    const folder = await temporaryFolder();
    await writeTinyModel(folder.path);
    const child = run({ PORT: "0", INFERENCE_TOKEN: TOKEN, MODELS_DIR: folder.path, WORKER_THREADS: "1" });
    const { port } = await new Promise<{ port: number }>((resolve) => {
      child.stdout?.on("data", (chunk: Buffer) => {
        const line = z
          .object({ event: z.string(), port: z.number().optional() })
          .parse(JSON.parse(chunk.toString()));
        if (line.event === "listening" && line.port !== undefined) resolve({ port: line.port });
      });
    });
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    await folder.remove();
  });

  it("that finds its port taken fails, and does not hang", async () => {
    const service = await startTestService();
    const child = run({
      PORT: new URL(service.url).port,
      INFERENCE_TOKEN: TOKEN,
      MODELS_DIR: models,
      WORKER_THREADS: "1",
    });
    expect(await once(child, "exit")).toEqual([1, null]);
    await service.stop();
  });

  it("that cannot start says why and fails", async () => {
    const child = run({ PORT: "0" });
    const lines: string[] = [];
    child.stdout?.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
    expect(await once(child, "exit")).toEqual([1, null]);
    expect(lines.join("")).toContain("INFERENCE_TOKEN");
  });
});
