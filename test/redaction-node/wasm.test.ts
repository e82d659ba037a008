import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const COMPILER = join(ROOT, "node_modules/assemblyscript/bin/asc.js");

it.each(["jpeg", "png"])(
  "the committed WebAssembly of %s is what its source compiles to (npm run wasm)",
  async (format) => {
    const home = `src/pixels/redaction/${format}`;
    const folder = await mkdtemp(join(tmpdir(), "wasm-"));
    try {
      const outFile = join(folder, "codec.wasm");
      const args = [COMPILER, "--config", `${home}/assembly/asconfig.json`, "--outFile", outFile];
      await promisify(execFile)(process.execPath, args, { cwd: ROOT });
      const [compiled, committed] = await Promise.all([
        readFile(outFile),
        readFile(join(ROOT, home, "codec.wasm")),
      ]);
      expect(new Uint8Array(compiled)).toEqual(new Uint8Array(committed));
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
