import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { readAvcRecord, writeAvcRecord, type AvcRecord } from "../../src/work/video/containers/avc-record.ts";
import { pictureSetId, readSequenceSet, sequenceSetId } from "../../src/work/video/containers/h264-sets.ts";
import { copiedPacket, copyableSets } from "../../src/work/video/engine/copied-packet.ts";
import { decoderSetup } from "../../src/work/video/output/parameter-sets.ts";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { packetOf, typeOf, unitsOf } from "../video/support/nal-units.ts";

/** Three frames of x264, and their decoder configuration. */
async function encoded(size: string, options: string) {
  const picture = `-f lavfi -i testsrc2=size=${size}:rate=25 -frames:v 3 -c:v libx264 ${options} -f h264`;
  const units = unitsOf((await ffmpeg({}, picture.split(" "), "clip.h264")).bytes);
  const sets = (type: number): Uint8Array[] => units.filter((unit) => typeOf(unit) === type);
  const [sequence = new Uint8Array(4)] = sets(7);
  const [, profile = 0, compatibility = 0, level = 0] = sequence;
  const record: AvcRecord = {
    profile,
    compatibility,
    level,
    lengthBytes: 4,
    sequenceSets: sets(7).slice(0, 1),
    pictureSets: sets(8).slice(0, 1),
  };
  const [widthPixels = 0, heightPixels = 0] = size.split("x").map(Number);
  return { record, units, size: { widthPixels, heightPixels } };
}

const PLAIN = "-preset ultrafast -pix_fmt yuv420p";

test.for([
  ["Baseline", "160x96", PLAIN, true],
  ["High", "160x96", "-preset medium -pix_fmt yuv420p", true],
  ["a size that is no multiple of 16", "1920x1080", PLAIN, true],
  ["an ID of its own", "160x96", `${PLAIN} -x264-params sps-id=7`, true],
  ["interlaced", "160x96", `${PLAIN} -x264-params interlaced=1`, false],
  ["4:2:2", "160x96", "-preset ultrafast -pix_fmt yuv422p", false],
  ["4:4:4", "160x96", "-preset ultrafast -pix_fmt yuv444p", false],
  ["lossless", "160x96", `${PLAIN} -qp 0`, false],
] as const)("which configurations may be copied: %s", async ([, size, options, isExpected]) => {
  const { record, size: pixels } = await encoded(size, options);
  expect(copyableSets(record, pixels) !== undefined).toBe(isExpected);
  expect(copyableSets(record, { ...pixels, widthPixels: pixels.widthPixels - 2 })).toBeUndefined();
  if (isExpected) expect(readAvcRecord(writeAvcRecord(record))).toEqual(record);
});

test("configurations are refused that players may read in two ways, or that hold other bytes", async () => {
  const { record, size } = await encoded("160x96", PLAIN);
  const { sequenceSets, pictureSets } = record;
  const [sequence, picture] = [sequenceSets, pictureSets].map(([set]) => set ?? new Uint8Array(0));
  const other = await encoded("160x96", `${PLAIN} -x264-params sps-id=7`);
  const secret = new TextEncoder().encode("SECRET");
  const changes: Partial<AvcRecord>[] = [
    { lengthBytes: 2 },
    { profile: 244 },
    { pictureSets: [] },
    { sequenceSets: [...sequenceSets, ...sequenceSets] },
    { pictureSets: [...pictureSets, ...pictureSets] },
    { pictureSets: other.record.pictureSets },
    { sequenceSets: [concatBytes([sequence ?? secret, secret])] },
    { pictureSets: [concatBytes([picture ?? secret, secret])] },
    { pictureSets: [(picture ?? secret).subarray(0, -1)] },
    { sequenceSets: Array.from({ length: 9 }, () => sequence ?? secret) },
  ];
  for (const change of changes) expect(copyableSets({ ...record, ...change }, size)).toBeUndefined();
  const both = {
    sequenceSets: [...sequenceSets, ...other.record.sequenceSets],
    pictureSets: [...pictureSets, ...other.record.pictureSets],
  };
  expect(copyableSets({ ...record, ...both }, size)?.sequences.size).toBe(2);
});

describe("copied packets", async () => {
  const { record, units, size } = await encoded("160x96", `${PLAIN} -slices 2`);
  const sets = copyableSets(record, size);
  if (sets === undefined) throw new Error("The clip cannot be copied.");
  const slices = units.filter((unit) => typeOf(unit) === 5);
  const [later, nextFrame] = [
    units.filter((unit) => typeOf(unit) === 1).slice(0, 2),
    units.filter((unit) => typeOf(unit) === 1).slice(2),
  ];
  const note = concatBytes([
    Uint8Array.of(6, 5, 20),
    new TextEncoder().encode("a place, and the name of a person"),
  ]);

  test("keep the slices of one picture, and nothing else that is known", () => {
    const [sequence = note] = record.sequenceSets;
    const packet = packetOf(Uint8Array.of(9, 16), sequence, note, ...slices, Uint8Array.of(12, 255, 128));
    expect(copiedPacket(packet, sets)).toEqual({ isKey: true, data: packetOf(...slices) });
    expect(copiedPacket(packetOf(...later), sets)).toEqual({ isKey: false, data: packetOf(...later) });
  });

  test.for([
    ["a second picture", packetOf(...slices, ...slices)],
    ["slices in another order", packetOf(...slices.toReversed())],
    ["a slice alone that is not the first", packetOf(...slices.slice(1))],
    ["a later slice of another picture", packetOf(...later.slice(0, 1), ...nextFrame.slice(1))],
    ["pictures of two kinds", packetOf(...slices, ...later)],
    ["no picture", packetOf(note)],
    ["an unknown unit", packetOf(Uint8Array.of(30, 1, 2, 3), ...slices)],
    ["an alpha picture", packetOf(...slices, Uint8Array.of(19, 136, 1))],
    ["another parameter set", packetOf(Uint8Array.of(7, 66, 0, 10, 136), ...slices)],
    ["an empty unit", packetOf(new Uint8Array(0), ...slices)],
    ["a unit that is cut off", packetOf(...slices).subarray(0, -1)],
    ["bytes after the last unit", concatBytes([packetOf(...slices), Uint8Array.of(0, 0)])],
  ] as const)("are refused with %s", ([, packet]) => {
    expect(copiedPacket(packet, sets)).toBeUndefined();
  });

  test("are refused or smaller, whatever the bytes are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (bytes, at) => {
        const damaged = packetOf(...slices).slice();
        damaged.set(bytes.subarray(0, Math.max(0, damaged.length - at)), Math.min(at, damaged.length));
        for (const packet of [bytes, damaged])
          expect(copiedPacket(packet, sets)?.data.length ?? 0).toBeLessThanOrEqual(packet.length);
        expect(() => [readSequenceSet(bytes), readAvcRecord(bytes)]).not.toThrow();
      }),
    );
  });
});

test("parameter sets with different IDs share one description, and others stand in the stream", async () => {
  const source = await encoded("160x96", "-preset medium -pix_fmt yuv420p");
  const rendered = await encoded("160x96", `${PLAIN} -x264-params sps-id=1`);
  const clashing = await encoded("160x96", PLAIN);
  const [first, second, third] = [source, rendered, clashing].map(({ record }) => writeAvcRecord(record));
  if (first === undefined || second === undefined || third === undefined) throw new Error("None is there.");
  const shared = decoderSetup([first, second, first]);
  expect(shared.prefixes.map(({ length }) => length)).toEqual([0, 0, 0]);
  const joined = readAvcRecord(shared.description ?? new Uint8Array(0));
  expect(joined?.profile).toBe(100);
  expect(joined?.level).toBe(Math.max(source.record.level, rendered.record.level));
  expect(joined?.sequenceSets.map(sequenceSetId)).toEqual([0, 1]);
  expect(joined?.pictureSets.map(pictureSetId)).toEqual([0, 1]);
  expect(decoderSetup([first, third]).prefixes.every(({ length }) => length > 0)).toBe(true);
});
