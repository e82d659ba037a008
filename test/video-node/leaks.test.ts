import { describe, expect, it } from "vitest";
import { cutsOf } from "../video/compose/clip.ts";
import type { Verdict } from "../video/compose/judge.ts";
import { leakScripts } from "../video/compose/scripts.ts";
import { qrSymbol } from "./support/qr-codes.ts";
import { analyseClip, judgeClip } from "./support/redact-clip.ts";

/** The share of frames that may hide less than 95 % of the codes. */
const MOST_BARE_SHARE = 0.03;
/** The largest hidden area, as a multiple of the codes' area. */
const MOST_MASKED_SHARE = 2.1;

const texts = ["HTTPS://EXAMPLE.ORG/7F3A", "HTTPS://EXAMPLE.ORG/90B1", "HTTPS://EXAMPLE.ORG/C24E"];
const scripts = leakScripts(await Promise.all(texts.map(qrSymbol)));

describe("redacted clips", () => {
  const verdicts: Verdict[] = [];

  it.for(scripts.map((script) => [script.name, script] as const))(
    "%s: no code can be read",
    async ([, script]) => {
      const clip = await analyseClip(script);
      expect(clip.cuts).toEqual(cutsOf(script));
      const verdict = await judgeClip(clip, verdicts.length % 2 === 0 ? "pixelation" : "blur");
      verdicts.push(verdict);
      expect(verdict.readableFrames).toEqual([]);
      expect(verdict.truthPixels).toBeGreaterThan(0);
    },
  );

  it("hide the object and little more", () => {
    const sum = (value: (verdict: Verdict) => number): number =>
      verdicts.reduce((total, verdict) => total + value(verdict), 0);
    expect(verdicts).toHaveLength(scripts.length);
    expect(sum(({ bareFrames }) => bareFrames.length) / sum(({ frames }) => frames)).toBeLessThanOrEqual(
      MOST_BARE_SHARE,
    );
    expect(
      sum(({ maskedPixels }) => maskedPixels) / sum(({ truthPixels }) => truthPixels),
    ).toBeLessThanOrEqual(MOST_MASKED_SHARE);
  });
});
