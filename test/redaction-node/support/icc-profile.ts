import { joinBytes } from "./png-file.ts";

/** Fills the parts of a profile that do not affect colors. */
export type Filler = (byteCount: number) => Uint8Array;

/** A profile to be written. Shares nothing with the kernel. */
export interface ProfileSpec {
  readonly version: 2 | 4;
  readonly deviceClass: string;
  readonly space: "GRAY" | "RGB " | "CMYK";
  readonly connection: "XYZ " | "Lab ";
  /** Data of the tags that define colors. */
  readonly tags: (fill: Filler) => Readonly<Record<string, Uint8Array>>;
}

export function letters(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** Zeros, as a tidy writer leaves. */
export const zeros: Filler = (byteCount) => new Uint8Array(byteCount);

/** A repeated text. */
export function repeated(text: string): Filler {
  return (byteCount) => Uint8Array.from({ length: byteCount }, (_, at) => text.charCodeAt(at % text.length));
}

function uint16s(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [(value >> 8) & 255, value & 255]));
}

export function uint32s(...values: readonly number[]): Uint8Array {
  return joinBytes(values.map((value) => uint16s(Math.floor(value / 65_536) & 65_535, value & 65_535)));
}

/** s15Fixed16 numbers. */
function fixed(...values: readonly number[]): Uint8Array {
  return uint32s(...values.map((value) => Math.round(value * 65_536) >>> 0));
}

export function xyz(fill: Filler, values: readonly number[]): Uint8Array {
  return joinBytes([letters("XYZ "), fill(4), fixed(...values), fill(9)]);
}

export function sf32(fill: Filler, values: readonly number[]): Uint8Array {
  return joinBytes([letters("sf32"), fill(4), fixed(...values), fill(5)]);
}

export function curv(fill: Filler, values: readonly number[]): Uint8Array {
  return joinBytes([letters("curv"), fill(4), uint32s(values.length), uint16s(...values)]);
}

export function para(fill: Filler, formula: number, values: readonly number[]): Uint8Array {
  return joinBytes([letters("para"), fill(4), uint16s(formula), fill(2), fixed(...values)]);
}

/** Values of a curve from 0 to 1 in this many steps. */
export function steps(count: number, curve: (value: number) => number): number[] {
  return Array.from({ length: count }, (_, index) => Math.round(65_535 * curve(index / (count - 1))));
}

/** Values of a grid: for each point, a value for each output. */
export function grid(
  points: readonly number[],
  colour: (at: readonly number[]) => readonly number[],
): number[] {
  const [first, ...rest] = points;
  if (first === undefined) return colour([]).map((value) => Math.round(65_535 * value));
  return Array.from({ length: first }, (_, index) =>
    grid(rest, (at) => colour([index / (first - 1), ...at])),
  ).flat();
}

export interface TableSpec {
  readonly points: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly curve: (value: number) => number;
  readonly colour: (at: readonly number[]) => readonly number[];
}

/** lut8Type or lut16Type. */
export function table(fill: Filler, type: "mft1" | "mft2", spec: TableSpec): Uint8Array {
  const { points, inputs, outputs, curve, colour } = spec;
  const write = (values: readonly number[]): Uint8Array =>
    type === "mft2" ? uint16s(...values) : Uint8Array.from(values.map((value) => value >> 8));
  const entries = type === "mft2" ? 33 : 256;
  const curves = (count: number): number[] =>
    Array.from({ length: count }, () => steps(entries, curve)).flat();
  return joinBytes([
    letters(type),
    fill(4),
    Uint8Array.of(inputs, outputs, points),
    fill(1),
    fixed(1, 0, 0, 0, 1, 0, 0, 0, 1),
    ...(type === "mft2" ? [uint16s(entries, entries)] : []),
    write(curves(inputs)),
    write(
      grid(
        Array.from({ length: inputs }, () => points),
        colour,
      ),
    ),
    write(curves(outputs)),
    fill(7),
  ]);
}

export interface StagesSpec {
  readonly type: "mAB " | "mBA ";
  readonly inputs: number;
  readonly outputs: number;
  readonly b: readonly Uint8Array[];
  readonly matrix?: readonly number[];
  readonly m?: readonly Uint8Array[];
  readonly grid?: {
    readonly points: readonly number[];
    readonly values: readonly number[];
    readonly bytes: 1 | 2;
  };
  readonly a?: readonly Uint8Array[];
}

/** lutAToBType or lutBToAType, with something between its stages and after them. */
export function stages(fill: Filler, spec: StagesSpec): Uint8Array {
  const aligned = (bytes: Uint8Array): Uint8Array => joinBytes([bytes, fill(-bytes.length & 3)]);
  const curves = (all: readonly Uint8Array[] | undefined): Uint8Array | undefined =>
    all === undefined ? undefined : joinBytes(all.map(aligned));
  const { points = [], values = [], bytes = 2 } = spec.grid ?? {};
  const gridBytes = joinBytes([
    Uint8Array.from(points),
    fill(16 - points.length),
    Uint8Array.of(bytes),
    fill(3),
    bytes === 2 ? uint16s(...values) : Uint8Array.from(values.map((value) => value >> 8)),
  ]);
  // Not in the order of their offsets.
  const parts = [
    { slot: 4, part: curves(spec.a) },
    { slot: 3, part: spec.grid === undefined ? undefined : gridBytes },
    { slot: 2, part: curves(spec.m) },
    { slot: 1, part: spec.matrix === undefined ? undefined : fixed(...spec.matrix) },
    { slot: 0, part: curves(spec.b) },
  ];
  const offsets = [0, 0, 0, 0, 0];
  const body: Uint8Array[] = [];
  let at = 32;
  for (const { slot, part } of parts) {
    if (part === undefined) continue;
    offsets[slot] = at;
    const filled = joinBytes([aligned(part), fill(8)]);
    body.push(filled);
    at += filled.length;
  }
  const head = [letters(spec.type), fill(4), Uint8Array.of(spec.inputs, spec.outputs), fill(2)];
  return joinBytes([...head, uint32s(...offsets), ...body]);
}

/** Tags that do not affect colors: texts, makers, and private data of programs. */
function otherTags(fill: Filler): Readonly<Record<string, Uint8Array>> {
  const text = joinBytes([letters("text"), fill(4), fill(40)]);
  const words = joinBytes([letters("mluc"), fill(4), uint32s(1, 12), fill(4), uint32s(40, 28), fill(40)]);
  const names = ["dmnd", "dmdd", "meta", "targ", "vued", "prvt", "bkpt", "gamt", "vcgt", "psid"];
  return { desc: words, cprt: text, ...Object.fromEntries(names.map((name) => [name, text])) };
}

/** Writes a profile. Everything that does not affect colors is filled, including bytes past its end. */
export function writeProfile(spec: ProfileSpec, fill: Filler = zeros): Uint8Array {
  const tags = Object.entries({ ...spec.tags(fill), ...otherTags(fill) });
  const tableBytes = 4 + 12 * tags.length;
  let at = 128 + tableBytes;
  const entries: Uint8Array[] = [];
  const data: Uint8Array[] = [];
  for (const [name, bytes] of tags) {
    entries.push(letters(name), uint32s(at, bytes.length));
    const part = joinBytes([bytes, fill((-bytes.length & 3) + 8)]);
    data.push(part);
    at += part.length;
  }
  const header = joinBytes([
    uint32s(at),
    fill(4),
    Uint8Array.of(spec.version),
    fill(3),
    letters(spec.deviceClass + spec.space + spec.connection),
    fill(12),
    letters("acsp"),
    fill(24),
    uint32s(1),
    fill(128 - 68),
  ]);
  return joinBytes([header, uint32s(tags.length), ...entries, ...data, fill(64)]);
}

/** Whether two files are the same, byte for byte. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Data of a profile's tags by name. */
export function readTags(profile: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(profile.buffer, profile.byteOffset, profile.byteLength);
  return new Map(
    Array.from({ length: view.getUint32(128) }, (_, index) => {
      const at = 132 + 12 * index;
      const start = view.getUint32(at + 4);
      const name = String.fromCharCode(...profile.subarray(at, at + 4));
      return [name, profile.subarray(start, start + view.getUint32(at + 8))] as const;
    }),
  );
}
