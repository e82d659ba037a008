import { expect, test } from "vitest";
import { aacSetup } from "../../src/work/video/containers/aac-setup.ts";

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function rewritten(hex: string): string | undefined {
  const written = aacSetup(bytesOf(hex));
  return written && Array.from(written, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const COMMENT = "464f524549474e";

test.for([
  ["AAC of two channels at 44.1 kHz", "1210", "1210"],
  ["with what encoders write after it", "121056e500", "121056e500"],
  ["with foreign bytes after it", `1210${COMMENT}`, "1210"],
  ["HE-AAC, told at once", "2b920800", "2b920800"],
  ["HE-AAC, told to newer decoders", `139056e59d4880${COMMENT}`, "139056e59d4880"],
  ["a kind that is not known", "f9408000", undefined],
  ["cut off", "12", undefined],
] as const)("%s", ([, source, expected]) => {
  if (expected !== undefined) expect(rewritten(source)).toBe(expected);
  else expect(rewritten(source) ?? "").not.toContain(COMMENT);
});

test("a comment beside channels of its own goes, the channels stay", () => {
  // AAC LC at 44.1 kHz without a standard layout, followed by a program with one front channel pair.
  const bits = [
    "00010",
    "0100",
    "0000",
    "000",
    "0000",
    "01",
    "0100",
    "0001",
    "0000",
    "0000",
    "00",
    "000",
    "0000",
  ];
  const program = [...bits, "0", "0", "0", "1", "0000"].join("");
  const padded = program.padEnd(Math.ceil(program.length / 8) * 8, "0");
  const hex = (padded.match(/.{8}/g) ?? [])
    .map((byte) => Number.parseInt(byte, 2).toString(16).padStart(2, "0"))
    .join("");
  expect(rewritten(`${hex}07${COMMENT}`)).toBe(`${hex}00`);
});
