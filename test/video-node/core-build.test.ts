import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { CORE_BUILD } from "../../src/work/video/engine/core-build.ts";

const script = await readFile(fileURLToPath(import.meta.resolve("@ffmpeg/core")));
const wasm = await readFile(fileURLToPath(import.meta.resolve("@ffmpeg/core/wasm")));

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

it("the table of the core's build describes the installed package", () => {
  expect(sha256(script)).toBe(CORE_BUILD.scriptSha256);
  expect(sha256(wasm)).toBe(CORE_BUILD.wasmSha256);
  for (const [name, exported] of Object.entries(CORE_BUILD.exports)) {
    expect(script.toString()).toContain(`Module["_${name}"]=Module["asm"]["${exported}"]`);
  }
});
