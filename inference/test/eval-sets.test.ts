import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSet, readSetByEye } from "../eval/sets.ts";
import { temporaryFolder } from "./support/service.ts";

function row(file: string, changes: object): string {
  return JSON.stringify({ file, w: 100, h: 80, source: "made", part: "eval", boxes: [], ...changes });
}

function lines(...some: readonly string[]): string {
  return `${some.join("\n")}\n`;
}

it("tells labels of the manifest from labels by eye, and what a photo is certainly without", async () => {
  const folder = await temporaryFolder();
  const options = {
    name: "photos",
    folder: folder.path,
    manifest: join(folder.path, "manifest.jsonl"),
    part: "eval",
    sources: [],
    isEverydayOnly: false,
    limit: undefined,
  };
  await writeFile(
    options.manifest,
    lines(
      row("a.png", {
        boxes: [{ cat: "heads", box: [1, 1, 9, 9] }],
        complete_for: ["heads", "screens"],
        looked_at: "absence",
      }),
      row("b.png", { source: "other", complete_for: ["screens"] }),
      row("c.png", { part: "train" }),
    ),
  );
  const byEye = (name: string, ...some: readonly object[]): Promise<void> =>
    writeFile(join(folder.path, name), lines(...some.map((one) => JSON.stringify(one))));
  const head = { cat: "heads", box: [2, 2, 12, 12] };
  await byEye("evaluation.jsonl", { file: "a.png", boxes: [head], complete_for: ["heads"] });
  await byEye("evaluation-codes.jsonl", { file: "a.png", boxes: [], complete_for: ["qr_codes"] });
  await byEye("heads.jsonl", { file: "b.png", boxes: [head], complete_for: ["heads"] });

  const manifest = await readSet(options);
  expect(manifest.photos.map(({ absent }) => absent)).toEqual([new Set(["screens"]), new Set()]);
  const eye = await readSetByEye({ ...options, byEye: folder.path });
  expect(eye.photos).toHaveLength(1);
  expect(eye.photos[0]?.labels.map(({ bounds }) => bounds.left)).toEqual([2]);
  expect(eye.photos[0]?.completeFor).toEqual(new Set(["heads", "qr_codes"]));
  expect([...(eye.photos[0]?.absent ?? [])]).toEqual([]);

  const everyday = await readSet({ ...options, isEverydayOnly: true });
  expect(everyday.photos.map(({ source }) => source)).toEqual(["made"]);
  await expect(readSet({ ...options, sources: ["none"] })).rejects.toThrow(/no photo that was asked for/);
  await folder.remove();
});
