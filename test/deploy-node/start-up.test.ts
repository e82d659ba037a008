import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WORKERS } from "../../scripts/lib/deployed-workers.ts";
import { brokenLimits, measureScript, type ScriptMeasure } from "../../scripts/lib/worker-scripts.ts";
import { WranglerError } from "../../scripts/lib/wrangler.ts";

/** Measures the API's script with a wrangler whose first starts end with these faults. */
async function measured(faults: readonly string[]): Promise<ScriptMeasure> {
  const [worker] = WORKERS;
  if (worker === undefined) throw new Error("There is no Worker.");
  const left = [...faults];
  const folder = await mkdtemp(join(tmpdir(), "veil-start-"));
  try {
    return await measureScript(
      async (args, options) => {
        const record = options?.environment?.["WRANGLER_OUTPUT_FILE_PATH"];
        if (record !== undefined) {
          await writeFile(
            record,
            JSON.stringify({ type: "deploy", bundle_size: { raw_bytes: 9, gzip_bytes: 5 } }),
          );
          return "";
        }
        const fault = left.shift();
        if (fault !== undefined) throw new WranglerError(fault);
        const profile = args.find((arg) => arg.startsWith("--outfile="))?.slice("--outfile=".length) ?? "";
        await writeFile(profile, JSON.stringify({ nodes: [], samples: [], timeDeltas: [] }));
        return "";
      },
      worker,
      { environment: "staging", folder },
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a start that times out is tried once more", async () => {
  expect((await measured(["The operation timed out"])).startUpMs).toBe(0);
});

test("a machine on which no start is in time refuses no script", async () => {
  const measure = await measured(["The operation timed out", "Timeout"]);
  expect(measure.startUpMs).toBeUndefined();
  expect(brokenLimits(measure)).toEqual([]);
});

test("a script that does not start is refused", async () => {
  await expect(measured(["Uncaught ReferenceError: window is not defined"])).rejects.toThrow("window");
});

test("each script has Cloudflare's limit, and the API's a smaller one of Veil's own", () => {
  const sentences = WORKERS.flatMap((worker) => {
    const small = { worker, gzipBytes: 1, startUpMs: 1 };
    expect(brokenLimits({ ...small, sizeBytes: 3_099_999 })).toEqual([]);
    return [4_000_000, 70_000_000].map((sizeBytes) => brokenLimits({ ...small, sizeBytes }).join());
  });
  expect(sentences).toEqual([
    "",
    "The image Worker has 70000000 bytes before compression; the limit is 67108864 (Cloudflare's limit).",
    "",
    "The video Worker has 70000000 bytes before compression; the limit is 67108864 (Cloudflare's limit).",
    "The api Worker has 4000000 bytes before compression; the limit is 3300000 (Veil's own budget, so that isolates start fast).",
    "The api Worker has 70000000 bytes before compression; the limit is 3300000 (Veil's own budget, so that isolates start fast).",
  ]);
});
