import { afterAll, expect, test } from "vitest";
import type { Script } from "../video/compose/clip.ts";
import { leakScripts } from "../video/compose/scripts.ts";
import { inSequence } from "../video/compose/sequence.ts";
import { qrSymbol } from "../video-node/support/qr-codes.ts";
import { redact } from "./client.ts";
import { expectCodesHidden } from "./leaks.ts";
import { encodeScript } from "./videos.ts";

const H264 = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "22", "-bf", "2", "-g", "30", "-c:a", "aac"];
const MOST_MASKED_SHARE = 2.5;

const texts = ["HTTPS://EXAMPLE.ORG/7F3A", "HTTPS://EXAMPLE.ORG/90B1", "HTTPS://EXAMPLE.ORG/C24E"];
const scripts = leakScripts(await Promise.all(texts.map(qrSymbol)));

/** The range of a script with this name. */
function part(name: string, fromSeconds: number, untilSeconds: number) {
  const script = scripts.find((candidate) => candidate.name === name);
  if (script === undefined) throw new Error(`There is no script ${name}.`);
  return { script, fromSeconds, untilSeconds };
}

const FRAMES_PER_SECOND = 30;

const clips: readonly { script: Script; filename: string; method: string }[] = [
  {
    script: inSequence("shaken, hidden for a while, shrinking", FRAMES_PER_SECOND, [
      part("handheld", 0, 1),
      part("hidden for a while", 0.4, 2.4),
      part("shrinking", 0.5, 1.5),
    ]),
    filename: "clip.mp4",
    method: "blur",
  },
  {
    script: inSequence("leaves and comes back, fast across, two at once", FRAMES_PER_SECOND, [
      part("leaves and comes back", 0.4, 3.2),
      part("fast across", 0.4, 1),
      part("cuts", 1.1, 1.7),
    ]),
    filename: "clip.mov",
    method: "pixelation",
  },
];

let truthPixels = 0;
let maskedPixels = 0;

afterAll(() => {
  expect(maskedPixels).toBeLessThanOrEqual(MOST_MASKED_SHARE * truthPixels);
});

test.for(clips.map((clip) => [clip.script.name, clip] as const))(
  "no code can be read: %s",
  async ([, clip]) => {
    const { script, filename, method } = clip;
    const source = await encodeScript(script, FRAMES_PER_SECOND, H264, filename);

    const output = await redact(source, { filename, categories: ["qr_codes"], method });

    expect(output.contentType).toBe(filename.endsWith("mov") ? "video/quicktime" : "video/mp4");
    const hidden = await expectCodesHidden(script, { source, output: output.bytes, filename });
    truthPixels += hidden.truthPixels;
    maskedPixels += hidden.maskedPixels;
  },
);
