import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pull, pullFrom, stateOf } from "../pack/pull.ts";
import { tinyManifest, tinyModel } from "../scripts/make-tiny-model.ts";
import { readManifest, type Manifest } from "../src/models/manifest.ts";
import { startHub, type HubFile, type TestHub } from "./support/hub.ts";
import { startTestService, temporaryFolder } from "./support/service.ts";

const MAIN = fileURLToPath(new URL("../pack/main.ts", import.meta.url));
const REVISION = "0123456789abcdef0123456789abcdef01234567";
const PLACE = `owner/tiny/resolve/${REVISION}/onnx/tiny.onnx`;
const bytes = tinyModel();
const sha256 = createHash("sha256").update(bytes).digest("hex");

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let hub: TestHub | undefined;
let manifest: Manifest;

async function serve(
  changes: Partial<HubFile> = {},
): Promise<{ folder: string; hubUrl: string; pauseMs: number }> {
  hub = await startHub({ place: PLACE, bytes, etag: sha256, ...changes });
  return { folder: folder.path, hubUrl: hub.url, pauseMs: 1 };
}

beforeEach(async () => {
  folder = await temporaryFolder();
  const source = { repository: "owner/tiny", revision: REVISION, path: "onnx/tiny.onnx" };
  await writeFile(join(folder.path, "tiny.json"), JSON.stringify(tinyManifest(bytes, { source })));
  manifest = await readManifest(join(folder.path, "tiny.json"));
});

afterEach(async () => {
  await hub?.stop();
  hub = undefined;
  await folder.remove();
});

describe("pulling a published detector", () => {
  it("fetches the pinned commit's file once, and keeps it", async () => {
    const options = await serve();
    expect(await pull(manifest, options)).toBe(true);
    expect(new Uint8Array(await readFile(join(folder.path, "tiny.onnx")))).toEqual(bytes);
    const before = hub?.requests.length;
    expect(await pull(manifest, options)).toBe(false);
    expect(hub?.requests).toHaveLength(before ?? -1);
  });

  it("replaces a damaged file", async () => {
    await writeFile(join(folder.path, "tiny.onnx"), "half a file");
    expect(await stateOf(manifest, folder.path)).toBe("damaged");
    expect(await pull(manifest, await serve())).toBe(true);
    expect(await stateOf(manifest, folder.path)).toBe("there");
  });

  it("asks again when an answer breaks off", async () => {
    expect(await pull(manifest, await serve({ breaks: 2 }))).toBe(true);
    expect(await stateOf(manifest, folder.path)).toBe("there");
  });

  it("gives up after three broken answers, and leaves nothing", async () => {
    await expect(pull(manifest, await serve({ breaks: 9 }))).rejects.toThrow(/tiny .*3 attempts/);
    expect(hub?.requests.filter((request) => request.endsWith(" all")).length).toBeGreaterThanOrEqual(3);
    expect(await readdir(folder.path)).toEqual(["tiny.json"]);
  });

  it("refuses a file that the Hub announces with another hash before fetching it", async () => {
    await expect(pull(manifest, await serve({ etag: "f".repeat(64) }))).rejects.toThrow(
      /SHA-256 f{64}.*not kept/,
    );
    expect(hub?.requests.some((request) => request.endsWith(" all"))).toBe(false);
  });

  it("refuses a file that is another one than announced, asks no second time, and leaves nothing", async () => {
    const other = bytes.map((value, i) => (i === 9 ? value ^ 1 : value));
    await expect(pull(manifest, await serve({ bytes: other }))).rejects.toThrow(/the pack pins/);
    expect(hub?.requests.filter((request) => request.startsWith("/store/file all"))).toHaveLength(1);
    expect(await readdir(folder.path)).toEqual(["tiny.json"]);
  });

  it("says that a file is missing on the Hub", async () => {
    await expect(pull(manifest, await serve({ place: "elsewhere" }))).rejects.toThrow(
      /onnx\/tiny.onnx of owner\/tiny at 01234567 \(tiny\) is not/,
    );
    expect(hub?.requests).toHaveLength(1);
  });

  it("gives up on a Hub that does not answer in time", async () => {
    const options = { ...(await serve()), hubUrl: "http://127.0.0.1:1", timeoutMs: 200 };
    await expect(pull(manifest, options)).rejects.toThrow(/could not be fetched/);
  });

  it("takes a file from a folder by what it is, not by its name", async () => {
    const other = await temporaryFolder();
    await writeFile(join(other.path, "tiny.onnx"), "something else");
    const { source: _, ...unplaced } = manifest;
    await expect(pull(unplaced, await serve())).rejects.toThrow(/No place on the Hub is known/);
    await expect(pullFrom(other.path, unplaced, folder.path)).rejects.toThrow(/No .onnx file/);
    await writeFile(join(other.path, "any.onnx"), bytes);
    expect(await pullFrom(other.path, unplaced, folder.path)).toBe(true);
    expect(await stateOf(unplaced, folder.path)).toBe("there");
    await other.remove();
  });
});

async function run(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: unknown; text: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(child, "exit");
  return { code: child.exitCode, text };
}

describe("npm run models", () => {
  it("lists, pulls and chooses what the service then loads", async () => {
    const models = await temporaryFolder();
    const { hubUrl } = await serve();
    const env = { MODELS_DIR: models.path, PUBLISHED_DIR: folder.path, HF_ENDPOINT: hubUrl };
    await writeFile(join(models.path, "default.json"), '["absent"]');
    const listed = await run(["list"], env);
    expect(listed.code).toBe(0);
    expect(listed.text).toMatch(/^tiny +absent/);
    const early = await run(["use", "tiny"], env);
    expect(early.code).toBe(1);
    expect(early.text).toContain("pull tiny");
    const wrong = await run(["pull", "other"], env);
    expect(wrong.code).toBe(1);
    expect(wrong.text).toContain("there are tiny");
    expect((await run(["pull", "tiny"], env)).code).toBe(0);
    expect(await run(["use", "tiny"], env)).toMatchObject({ code: 0 });
    const service = await startTestService({ env });
    await service.stop();
    expect((await run(["use", "default"], env)).code).toBe(1);
    await models.remove();
  });
});
