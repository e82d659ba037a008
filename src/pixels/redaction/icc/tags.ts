import { concatBytes } from "../bytes/bytes.ts";
import { curveBytes, readCurve } from "./curves.ts";
import type { ProfileHeader } from "./header.ts";
import { rebuildLutStages } from "./lut-stages.ts";
import { rebuildLutTables, type Channels } from "./lut-tables.ts";
import { typeHead, uint32Bytes } from "./numbers.ts";
import { ProfileError, type ProfileReader } from "./reader.ts";

/** Reads a tag's data and returns equivalent data that holds nothing else. */
export type Rebuild = (reader: ProfileReader, header: ProfileHeader) => Uint8Array;

const HEAD_BYTES = 8;
/** Channels of the connection space. */
const CONNECTED = 3;

/** The tags that colors need (ICC.1:2022, 9.2). All other tags are dropped. */
const REBUILDS: ReadonlyMap<string, Rebuild> = new Map([
  ...["rXYZ", "gXYZ", "bXYZ", "wtpt"].map((name) => [name, rebuildXyz] as const),
  ...["rTRC", "gTRC", "bTRC", "kTRC"].map((name) => [name, rebuildCurve] as const),
  ...["A2B0", "A2B1", "A2B2"].map((name) => [name, rebuildToConnected] as const),
  ...["B2A0", "B2A1", "B2A2"].map((name) => [name, rebuildFromConnected] as const),
  ["chad", rebuildMatrix],
]);

/** The sets of tags that define a profile's colors, by color space. A profile needs one complete set. */
const COLOURED = ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"];
const SUFFICIENT: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ["GRAY", [["kTRC"], ["A2B0"]]],
  ["RGB ", [COLOURED, ["A2B0"]]],
  ["CMYK", [["A2B0"]]],
]);

/** The function that rebuilds a tag. Undefined if colors do not need the tag. */
export function rebuildOf(name: string): Rebuild | undefined {
  return REBUILDS.get(name);
}

/** Throws {@link ProfileError} if the tags do not define colors. */
export function refuseWithoutColours({ colourSpace }: ProfileHeader, names: ReadonlySet<string>): void {
  const isSufficient = SUFFICIENT.get(colourSpace)?.some((needed) => needed.every((name) => names.has(name)));
  if (isSufficient !== true) throw new ProfileError("The profile lacks a tag that colors need.");
}

/** XYZType with one triple (ICC.1:2022, 10.31). */
function rebuildXyz(reader: ProfileReader): Uint8Array {
  refuseOtherType(reader, "XYZ ");
  return concatBytes([typeHead("XYZ "), uint32Bytes(reader.fixed32s(HEAD_BYTES, 3))]);
}

/** s15Fixed16ArrayType with a 3×3 matrix (ICC.1:2022, 10.22). */
function rebuildMatrix(reader: ProfileReader): Uint8Array {
  refuseOtherType(reader, "sf32");
  return concatBytes([typeHead("sf32"), uint32Bytes(reader.fixed32s(HEAD_BYTES, 9))]);
}

function rebuildCurve(reader: ProfileReader): Uint8Array {
  return curveBytes(readCurve(reader));
}

function rebuildToConnected(reader: ProfileReader, { channels }: ProfileHeader): Uint8Array {
  return rebuildLut(reader, "mAB ", { inputs: channels, outputs: CONNECTED });
}

function rebuildFromConnected(reader: ProfileReader, { channels }: ProfileHeader): Uint8Array {
  return rebuildLut(reader, "mBA ", { inputs: CONNECTED, outputs: channels });
}

function rebuildLut(reader: ProfileReader, stages: "mAB " | "mBA ", channels: Channels): Uint8Array {
  const signature = reader.signature(0);
  if (signature === "mft1" || signature === "mft2") return rebuildLutTables(reader, channels);
  refuseOtherType(reader, stages);
  return rebuildLutStages(reader, channels);
}

function refuseOtherType(reader: ProfileReader, signature: string): void {
  if (reader.signature(0) !== signature) throw new ProfileError("A tag is of another type than it must be.");
}
