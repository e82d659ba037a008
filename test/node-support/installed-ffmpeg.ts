import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ffmpegAbilities } from "../../inference/src/engine/ffmpeg-abilities.ts";

/** Whether the installed ffmpeg decodes AV1 and has everything else that the video engine needs. */
export function decodesAv1(): boolean {
  const found = ffmpegAbilities();
  return found !== undefined && found.missing.length === 0 && found.codecs.includes("av1");
}

/** Whether the installed ffmpeg encodes H.265. */
export function encodesHevc(): boolean {
  const { stdout } = spawnSync("ffmpeg", ["-hide_banner", "-encoders"], { encoding: "utf8" });
  return typeof stdout === "string" && stdout.includes("libx265");
}

/** Like `ffmpegFiles`, with the installed ffmpeg, for codecs that the core cannot decode. */
export async function installedFfmpegFiles(
  inputs: Readonly<Record<string, Uint8Array>>,
  args: readonly string[],
  outputs: readonly string[],
): Promise<{ files: Uint8Array<ArrayBuffer>[]; log: string }> {
  const folder = await mkdtemp(join(tmpdir(), "veil-ffmpeg-"));
  try {
    for (const [name, bytes] of Object.entries(inputs)) await writeFile(join(folder, name), bytes);
    const all = ["-nostdin", "-hide_banner", "-y", ...args];
    const { stderr } = await promisify(execFile)("ffmpeg", all, { cwd: folder, maxBuffer: 1e8 });
    const files = await Promise.all(
      outputs.map(async (name) => Uint8Array.from(await readFile(join(folder, name)))),
    );
    return { files, log: stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
