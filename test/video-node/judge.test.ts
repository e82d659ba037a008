import { expect, it } from "vitest";
import { constantRate } from "../video/compose/clip.ts";
import { Judge, maskBetween } from "../video/compose/judge.ts";
import { leakScripts } from "../video/compose/scripts.ts";
import { composeFrame } from "../video/compose/compose.ts";
import { qrSymbol } from "./support/qr-codes.ts";
import { countReadable } from "./support/redact-clip.ts";

const symbols = await Promise.all(["ONE", "TWO", "THREE"].map(qrSymbol));

it("finds every frame of a clip that nothing was hidden in", async () => {
  const [script] = leakScripts(symbols);
  if (script === undefined) throw new Error("There is no clip.");
  const judge = new Judge(countReadable);
  const { width, height } = script;
  for (const index of constantRate(1, 5)) {
    const source = composeFrame(script, index);
    await judge.look({ source, luma: source.planes, masked: new Uint8Array(width * height), width, height });
  }
  expect(judge.verdict.readableFrames).toEqual([0, 1, 2, 3, 4]);
  expect(judge.verdict.bareFrames).toEqual([0, 1, 2, 3, 4]);
});

it("sees what was hidden in a frame that was compressed since", () => {
  const [width, height] = [64, 48];
  const source = Uint8Array.from({ length: width * height }, (_, at) => ((at % width) & 4 ? 30 : 220));
  const output = source.map((value, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    return x >= 16 && x < 40 && y >= 12 && y < 36 ? 128 : value + ((at * 7) % 9) - 4;
  });
  const mask = maskBetween(source, output, width, height);
  for (let at = 0; at < mask.length; at++) {
    const [x, y] = [at % width, Math.floor(at / width)];
    expect(mask[at], `${x}, ${y}`).toBe(x >= 16 && x < 40 && y >= 12 && y < 36 ? 1 : 0);
  }
});
