import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { FLOORS, ROOMS } from "./support/floors.ts";
import {
  circlesOf,
  folderGraph,
  foldersOf,
  importsOf,
  missingImports,
  readImports,
  upwardImports,
  type ImportGraph,
} from "./support/import-graph.ts";

describe.for(Object.entries(FLOORS))("%s", ([root, floors]) => {
  test("each folder stands on one floor", async () => {
    const graph = await readImports(join(ROOT, root));
    expect(missingImports(graph)).toEqual([]);
    expect(floors.flat().toSorted()).toEqual(foldersOf(graph));
  });

  test("imports go down, and neither files nor folders go round in a circle", async () => {
    const graph = await readImports(join(ROOT, root));
    expect(upwardImports(graph, floors)).toEqual([]);
    expect(circlesOf(graph)).toEqual([]);
    expect(circlesOf(folderGraph(graph))).toEqual([]);
  });
});

test("the page of the architecture has one row for every folder of a room", async () => {
  const page = await readFile(join(ROOT, "docs/architecture.md"), "utf8");
  const rows = [...page.matchAll(/^\| `src\/([\w/-]+)\/` +\|/gm)].map(([, folder]) => folder);
  const folders = (FLOORS["src"] ?? []).flat().filter((folder) => /^[\w-]+(?:\/[\w-]+)?$/.test(folder));
  expect(rows).toEqual(folders);
});

test("the rooms of src/ stand on each other, and no floor is part of two rooms", () => {
  const floors = FLOORS["src"] ?? [];
  const roomsOf = floors.map((floor) => new Set(floor.map((folder) => folder.split("/")[0])));
  expect(roomsOf.filter(({ size }) => size !== 1)).toEqual([]);
  const rooms = floors.flat().map((folder) => folder.split("/")[0]);
  expect(rooms.filter((room, at) => room !== rooms[at - 1])).toEqual(ROOMS);
});

describe("what the graph is drawn from", () => {
  test.for([
    ['import { a } from "../low/a.ts";', "low/a.ts"],
    ['import type { A } from "../low/a.ts";', "low/a.ts"],
    ['import {\n  a,\n  type B,\n} from "../low/a.ts";', "low/a.ts"],
    ['export * from "../low/a.ts";', "low/a.ts"],
    ['export type { A } from "./a.ts";', "top/a.ts"],
    ['import "../low/a.ts";', "low/a.ts"],
    ['const a = await import("../low/a.ts");', "low/a.ts"],
    ['let a: import("../low/a.ts").A;', "low/a.ts"],
    ['new URL("../low/a.ts", import.meta.url)', "low/a.ts"],
    ['new URL("a.ts", import.meta.url)', "top/a.ts"],
    ['/// <reference path="../low/a.ts" />', "low/a.ts"],
    ['import { a } from "../low/a";', "low/a.ts"],
    ['import wasm from "./a.wasm?module";', "top/a.wasm"],
  ] as const)("%s", ([source, target]) => {
    expect(importsOf("top/b.ts", source)).toEqual([target]);
  });

  test("packages and addresses are no files", () => {
    const source =
      'import { z } from "zod"; new URL("a.ts", address); new URL("../models/", import.meta.url)';
    expect(importsOf("top/b.ts", source)).toEqual([]);
  });
});

function graphOf(sources: Readonly<Record<string, string>>): ImportGraph {
  return new Map(Object.entries(sources).map(([file, source]) => [file, new Set(importsOf(file, source))]));
}

describe("an import that is not allowed", () => {
  const floors = [["."], ["high"], ["low", "beside"]];
  const sources = {
    "main.ts": 'import { a } from "./high/a.ts";',
    "high/a.ts": 'import { b } from "../low/b.ts";',
    "low/b.ts": "export const b = 1;",
    "beside/c.ts": "export const c = 1;",
  };

  test("there is none at first", () => {
    expect(upwardImports(graphOf(sources), floors)).toEqual([]);
    expect(circlesOf(folderGraph(graphOf(sources)))).toEqual([]);
  });

  test("reports a type from a floor above, with the cycle that it closes", () => {
    const graph = graphOf({ ...sources, "low/b.ts": 'import type { A } from "../high/a.ts";' });
    expect(upwardImports(graph, floors)).toEqual(["low/b.ts → high/a.ts"]);
    expect(circlesOf(graph)).toEqual([["high/a.ts", "low/b.ts"]]);
    expect(circlesOf(folderGraph(graph))).toEqual([["high", "low"]]);
  });

  test("also reports a folder of the same floor, and a file of one that stands on none", () => {
    const graph = graphOf({
      ...sources,
      "low/b.ts": 'import { c } from "../beside/c.ts"; import "../new/d.ts";',
    });
    expect(upwardImports(graph, floors)).toEqual(["low/b.ts → beside/c.ts", "low/b.ts → new/d.ts"]);
  });

  test("folders may go round in a circle where no files do", () => {
    const graph = graphOf({ ...sources, "low/b2.ts": 'import { d } from "../high/d.ts";', "high/d.ts": "" });
    expect(circlesOf(graph)).toEqual([]);
    expect(circlesOf(folderGraph(graph))).toEqual([["high", "low"]]);
  });
});
