import { describe, expect, test } from "vitest";
import { textBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { viewOf } from "../../src/work/video/containers/boxes.ts";
import { HOSTILE_SOURCES } from "./formats/hostile-sources.ts";
import { outcomeOf, sourceOf } from "./support/outcomes.ts";

/** The start and end of an MP4's media data. */
function mediaOf(file: Uint8Array): { start: number; end: number } {
  const name = textBytes("mdat");
  for (let at = 4; at + 4 <= file.length; at++) {
    if (name.every((byte, index) => file[at + index] === byte))
      return { start: at + 4, end: at - 4 + viewOf(file).getUint32(at - 4) };
  }
  throw new Error("There is no mdat.");
}

/** The outcome of a video with a part of its media data overwritten with garbage. The part is given in fractions. */
async function endOfDamaged(from: number, to: number): Promise<string> {
  const format = HOSTILE_SOURCES.find(({ property }) => property === "faststart");
  if (format === undefined) throw new Error("There is no such source.");
  const file = Uint8Array.from(await sourceOf(format));
  const { start, end } = mediaOf(file);
  let state = 1;
  const [first, last] = [from, to].map((share) => start + Math.floor((end - start) * share));
  for (let at = first ?? 0; at < (last ?? 0); at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    file[at] = state >>> 24;
  }
  return await outcomeOf(format.container, file);
}

describe("a film with pictures that the decoder rejects fails", () => {
  test.for([
    ["first part", 0, 0.2],
    ["end", 0.9, 1],
    ["all", 0, 1],
  ] as const)("its %s", async ([, from, to]) => {
    expect(await endOfDamaged(from, to)).toMatch(/^failed: engine_failed$/);
  });
});
