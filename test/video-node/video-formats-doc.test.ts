import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { AV1S } from "../video/formats/av1-formats.ts";
import { FORMATS } from "../video/formats/formats.ts";

it("the document has a row for each format that is tried, and no other", async () => {
  const text = await readFile(`${import.meta.dirname}/../../docs/video-formats.md`, "utf8");
  const rows = text
    .split("\n")
    .filter((line) => /^\| (?:MP4|QuickTime|WebM|Matroska|AVI) /.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1).join(" | "));
  const formats = [...FORMATS, ...AV1S].map(({ container, video, audio, property }) =>
    [container, video, audio, property].join(" | "),
  );
  expect(rows).toEqual(formats);
});
