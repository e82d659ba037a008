import * as fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { concatBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { MAX_PROFILE_BYTES, rebuildProfile } from "../../src/pixels/redaction/icc/profile.ts";
import { rampPicture } from "./support/icc-files.ts";
import { PROFILE_KINDS } from "./support/icc-kinds.ts";
import {
  curv,
  isSame,
  letters,
  para,
  type ProfileSpec,
  readTags,
  uint32s,
  writeProfile,
  xyz,
  zeros,
} from "./support/icc-profile.ts";

/** `FUZZ_RUNS=100000 npx vitest run --project redaction-node icc-damage` runs long. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 3000);
const SEED = process.env["FUZZ_SEED"] === undefined ? {} : { seed: Number(process.env["FUZZ_SEED"]) };

function kind(name: string): ProfileSpec {
  const found = PROFILE_KINDS.find(([each]) => each === name)?.[1];
  if (found === undefined) throw new Error(`There is no profile ${name}.`);
  return found;
}

const MATRIX = kind("matrix, sampled curves");
const TABLE = kind("CMYK table of 8 bits");
const STAGES = kind("RGB stages, grid of 16 bits and matrix");

/** A profile with one tag replaced or added. */
function withTag(spec: ProfileSpec, name: string, data: Uint8Array): Uint8Array {
  return writeProfile({ ...spec, tags: (fill) => ({ ...spec.tags(fill), [name]: data }) });
}

/** A profile with bytes overwritten in the data of a tag. */
function withDamage(spec: ProfileSpec, tag: string, at: number, bytes: readonly number[]): Uint8Array {
  const data = Uint8Array.from(spec.tags(zeros)[tag] ?? []);
  data.set(bytes, at);
  return withTag(spec, tag, data);
}

function withHeader(at: number, written: readonly number[] | string): Uint8Array {
  const profile = writeProfile(MATRIX);
  profile.set(typeof written === "string" ? letters(written) : written, at);
  return profile;
}

function without(name: string): Uint8Array {
  const tags = Object.entries(MATRIX.tags(zeros)).filter(([each]) => each !== name);
  return writeProfile({ ...MATRIX, tags: () => Object.fromEntries(tags) });
}

/** Tags of different lengths over the data of one RGB table of 16 bits, with a flat grid of 65 points: 1.6 MB each. */
function overlappingTables(count: number): Uint8Array {
  const type = [...letters("mft2")];
  const head = [...type, 0, 0, 0, 0, 3, 3, 65, ...Array.from({ length: 37 }, () => 0), 0, 2, 0, 2];
  const curvesBytes = 2 * 3 * 2;
  const tableBytes = head.length + 65 ** 3 * 3 * 2 + 2 * curvesBytes;
  const start = 128 + 4 + 12 * count;
  const tags = Array.from({ length: count }, (_, index) =>
    joinTyped(letters(`A2B${index}`), uint32s(start, tableBytes + index)),
  );
  const header = writeProfile(MATRIX).subarray(4, 128);
  const rest = [
    header,
    uint32s(count),
    ...tags,
    Uint8Array.from(head),
    new Uint8Array(tableBytes - head.length + count),
  ];
  return joinTyped(uint32s(start + tableBytes + count), ...rest);
}

describe("a profile that does not tell colours is dropped", () => {
  it.each([
    ["no bytes", () => new Uint8Array(0)],
    ["another signature", () => withHeader(36, "acsq")],
    ["the fifth version", () => withHeader(8, [5])],
    ["a link between devices", () => withHeader(12, "link")],
    ["named colours", () => withHeader(12, "nmcl")],
    ["six colours", () => withHeader(16, "6CLR")],
    ["a connection space of its own", () => withHeader(20, "RGB ")],
    ["a size past its end", () => withHeader(0, [0, 1, 0, 0])],
    ["a size past the limit", () => withHeader(0, [...uint32s(MAX_PROFILE_BYTES + 1)])],
    ["a size of nothing", () => withHeader(0, [0, 0, 0, 0])],
    ["more tags than its table", () => withHeader(128, [0, 0, 0x7f, 0xff])],
    ["a hundred and one tags", () => withHeader(128, [0, 0, 0, 101])],
    ["a tag past its end", () => withHeader(132 + 4, [0xff, 0xff, 0xff, 0xf0])],
    ["a tag that is too short", () => withHeader(132 + 8, [0, 0, 0, 8])],
    ["a tag twice", () => withHeader(132 + 12, "rXYZ")],
    ["no colorant of blue", () => without("bXYZ")],
    ["no curve of green", () => without("gTRC")],
    ["a colorant of another type", () => withTag(MATRIX, "rXYZ", para(zeros, 0, [1]))],
    ["a curve of another type", () => withTag(MATRIX, "rTRC", xyz(zeros, [1, 1, 1]))],
    ["a formula that nobody knows", () => withTag(MATRIX, "rTRC", para(zeros, 5, [1, 1, 1, 1, 1, 1, 1]))],
    [
      "a curve of too many values",
      () =>
        withTag(
          MATRIX,
          "rTRC",
          curv(
            zeros,
            Array.from({ length: 4097 }, () => 0),
          ),
        ),
    ],
    ["a table of other inputs", () => withDamage(TABLE, "A2B0", 8, [3])],
    ["a table of other outputs", () => withDamage(TABLE, "A2B0", 9, [4])],
    ["a grid of one point", () => withDamage(TABLE, "A2B0", 10, [1])],
    ["a grid past its end", () => withDamage(TABLE, "A2B0", 10, [255])],
    ["a table of another type", () => withDamage(TABLE, "A2B0", 0, [0x6d, 0x70, 0x65, 0x74])],
    [
      "a table in the wrong direction",
      () => withTag(STAGES, "A2B0", STAGES.tags(zeros)["B2A0"] ?? new Uint8Array(0)),
    ],
    ["stages without B curves", () => withDamage(STAGES, "A2B0", 12, [0, 0, 0, 0])],
    ["stages with M curves alone", () => withDamage(STAGES, "A2B0", 16, [0, 0, 0, 0])],
    ["stages with a grid alone", () => withDamage(STAGES, "A2B0", 28, [0, 0, 0, 0])],
    ["stages past their end", () => withDamage(STAGES, "A2B0", 24, [0x7f, 0xff, 0xff, 0xff])],
    ["tables that become too large", () => overlappingTables(3)],
  ])("%s", (_, profileOf) => {
    expect(rebuildProfile(profileOf())).toBeUndefined();
  });

  it("but not one of two large tables", () => {
    expect(rebuildProfile(overlappingTables(2))?.length).toBeGreaterThan(3_000_000);
  });

  it("one that is cut off anywhere", () => {
    const profile = writeProfile(MATRIX);
    const sizeBytes = new DataView(profile.buffer).getUint32(0);
    expect(rebuildProfile(profile.subarray(0, sizeBytes))).toBeDefined();
    for (let end = 0; end < sizeBytes; end++)
      expect(rebuildProfile(profile.subarray(0, end))).toBeUndefined();
  });

  it("one with a picture in the place of a curve's or a grid's values", async () => {
    const hidden = [
      ...(await sharp(await rampPicture("RGB "))
        .jpeg({ quality: 100 })
        .toBuffer()),
    ];
    const curve = Uint8Array.from(
      curv(
        zeros,
        Array.from({ length: 1024 }, () => 0),
      ),
    );
    curve.set(hidden.slice(0, 2048), 12);
    expect(rebuildProfile(withTag(MATRIX, "rTRC", curve))).toBeUndefined();
    const curvesBytes = 4 * 256;
    for (const at of [48, 48 + curvesBytes, 48 + curvesBytes + 5000]) {
      expect(rebuildProfile(withDamage(TABLE, "A2B0", at, hidden))).toBeUndefined();
    }
  });
});

describe("damaged profiles", () => {
  const sources = PROFILE_KINDS.map(([, spec]) => writeProfile(spec)).filter(({ length }) => length < 40_000);
  const names = /^(?:[rgb]XYZ|[rgbk]TRC|wtpt|chad|A2B[012]|B2A[012]|desc|cprt)$/u;
  /** Most of the damage affects the structure: the header, the tag table, the beginning of a tag's data. */
  const place = fc.oneof(
    fc.nat(132 + 12 * 22),
    fc.nat(40_000),
    fc.record({ tag: fc.nat(21), at: fc.nat(40) }),
  );
  const change = fc.record({
    place,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }),
    what: fc.constantFrom("overwritten", "inserted", "cut"),
  });

  it(`end rebuilt or dropped, never otherwise (${RUNS} inputs)`, () => {
    let kept = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        (source, changes) => {
          let profile = Uint8Array.from(source);
          for (const { place: where, bytes, what } of changes) {
            const at = typeof where === "number" ? where : tagStart(source, where.tag) + where.at;
            if (at >= profile.length) continue;
            const rest = what === "inserted" ? at : at + bytes.length;
            profile = joinTyped(
              profile.subarray(0, at),
              what === "cut" ? bytes.subarray(0, 0) : bytes,
              profile.subarray(rest),
            );
          }
          const output = rebuildProfile(profile);
          if (output === undefined) return;
          kept += 1;
          expect(output.length).toBeLessThanOrEqual(MAX_PROFILE_BYTES + 4096);
          expect([...readTags(output).keys()].filter((name) => !names.test(name))).toEqual([]);
          expect(isSame(rebuildProfile(output) ?? new Uint8Array(0), output)).toBe(true);
        },
      ),
      { numRuns: RUNS, ...SEED },
    );
    expect(kept).toBeGreaterThan(RUNS / 20);
  });
});

function tagStart(profile: Uint8Array, index: number): number {
  const view = new DataView(profile.buffer, profile.byteOffset, profile.byteLength);
  return view.getUint32(132 + 12 * (index % view.getUint32(128)) + 4);
}

function joinTyped(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(concatBytes(parts));
}
