import { afterAll, expect, test } from "vitest";
import { leakScripts } from "../video/compose/scripts.ts";
import { qrSymbol } from "../video-node/support/qr-codes.ts";
import { redact } from "./client.ts";
import { decodeVideo, encodeScript, judgeOutput, packetsOf } from "./videos.ts";

const H264 = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "22", "-bf", "2", "-g", "30", "-c:a", "aac"];
const MOST_BARE_SHARE = 0.03;
const MOST_MASKED_SHARE = 2.5;
const LEAST_PSNR = 38;

const texts = ["HTTPS://EXAMPLE.ORG/7F3A", "HTTPS://EXAMPLE.ORG/90B1", "HTTPS://EXAMPLE.ORG/C24E"];
const scripts = leakScripts(await Promise.all(texts.map(qrSymbol)));

let truthPixels = 0;
let maskedPixels = 0;

afterAll(() => {
  expect(maskedPixels).toBeLessThanOrEqual(MOST_MASKED_SHARE * truthPixels);
});

test.for([
  { name: "cuts", filename: "clip.mp4", method: "blur" },
  { name: "leaves and comes back", filename: "clip.mov", method: "pixelation" },
] as const)("no code of the clip '$name' can be read in $filename", async ({ name, filename, method }) => {
  const script = scripts.find((candidate) => candidate.name === name);
  if (script === undefined) throw new Error(`There is no script ${name}.`);
  const source = await encodeScript(script, 30, H264, filename);

  const output = await redact(source, { filename, categories: ["qr_codes"], method });

  expect(output.contentType).toBe(filename.endsWith("mov") ? "video/quicktime" : "video/mp4");
  const before = await decodeVideo(source, filename);
  const verdict = await judgeOutput(script, before, await decodeVideo(output.bytes, filename));
  expect(verdict.framesDecoded).toBe(script.timestampsSeconds.length);
  expect(verdict.readableFrames).toEqual([]);
  expect(verdict.bareFrames.length).toBeLessThanOrEqual(MOST_BARE_SHARE * verdict.frames);
  truthPixels += verdict.truthPixels;
  maskedPixels += verdict.maskedPixels;
  expect(verdict.psnrOutside).toBeGreaterThan(LEAST_PSNR);
  expect(output.bytes.length).toBeLessThan(2.5 * source.length);

  const [from, to] = [await packetsOf(source, filename), await packetsOf(output.bytes, filename)];
  expect(to.streams.length).toBe(2);
  expect(to.streams[0]?.presentationTicks).toEqual(from.streams[0]?.presentationTicks);
  expect(to.streams[1]).toEqual(from.streams[1]);
  for (const trace of ["private title", "+52.5200"]) expect(output.bytes.includes(trace)).toBe(false);
  expect(output.bytes.indexOf("moov")).toBeLessThan(output.bytes.indexOf("mdat"));
});
