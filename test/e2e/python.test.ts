import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, test } from "vitest";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { NO_PYTHON, findPython, runPython } from "../node-support/python.ts";

const CLIP =
  "-f lavfi -i testsrc=duration=1:size=320x240:rate=10 -f lavfi -i sine=duration=1 -c:v libx264 -pix_fmt yuv420p";

test("the Python client redacts, corrects, lists and deletes, and its README is right", async ({ skip }) => {
  const python = await findPython();
  if (python === undefined) return skip(NO_PYTHON);
  const { baseUrl, apiKey } = inject("service");
  const directory = await mkdtemp(join(tmpdir(), "veil-python-"));
  try {
    const video = join(directory, "clip.mp4");
    await writeFile(video, (await ffmpeg({}, CLIP.split(" "), "clip.mp4")).bytes);
    const env = { VEIL_BASE_URL: baseUrl, VEIL_API_KEY: apiKey, VEIL_TEST_VIDEO: video };
    await runPython(python, ["-m", "pytest", "-q", "-m", "service"], env);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
