import { curv, grid, para, type ProfileSpec, sf32, stages, steps, table, xyz } from "./icc-profile.ts";

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
function power(exponent: number) {
  return (value: number) => value ** exponent;
}

/** Colorants that swap and mix channels, so that a picture looks different with them. */
const COLORANTS = { rXYZ: [0.15, 0.3, 0.55], gXYZ: [0.5, 0.2, 0.05], bXYZ: [0.31, 0.5, 0.22] };
const WHITE = [0.9642, 1, 0.8249];
const ADAPTATION = [1.05, 0.02, -0.05, 0.03, 0.99, -0.02, -0.01, 0.01, 0.75];

function matrixProfile(
  version: 2 | 4,
  curve: (fill: (count: number) => Uint8Array) => Uint8Array,
): ProfileSpec {
  return {
    version,
    deviceClass: "mntr",
    space: "RGB ",
    connection: "XYZ ",
    tags: (fill) => ({
      ...Object.fromEntries(Object.entries(COLORANTS).map(([name, values]) => [name, xyz(fill, values)])),
      ...Object.fromEntries(["rTRC", "gTRC", "bTRC"].map((name) => [name, curve(fill)])),
      wtpt: xyz(fill, WHITE),
      chad: sf32(fill, ADAPTATION),
    }),
  };
}

/** Lab values of a color as fractions of the 16-bit range: a lightness, and two axes around the middle. */
function labOf(at: readonly number[]): readonly number[] {
  const [c = 0, m = 0, y = 0, k = 0] = at;
  const light = clamp(1 - 0.25 * c - 0.35 * m - 0.1 * y - 0.6 * k);
  return [light, clamp(0.5 + 0.2 * (m - c)), clamp(0.5 + 0.2 * (y - m))];
}

const fromLab =
  (count: number) =>
  (at: readonly number[]): readonly number[] =>
    Array.from({ length: count }, (_, channel) => clamp(1 - (at[channel % 3] ?? 0)));

function tableProfile(type: "mft1" | "mft2", space: "RGB " | "CMYK"): ProfileSpec {
  const channels = space === "CMYK" ? 4 : 3;
  const common = { points: 9, curve: power(0.8) };
  return {
    version: 2,
    deviceClass: "prtr",
    space,
    connection: "Lab ",
    tags: (fill) => {
      const to = table(fill, type, { ...common, inputs: channels, outputs: 3, colour: labOf });
      const from = table(fill, type, { ...common, inputs: 3, outputs: channels, colour: fromLab(channels) });
      return { wtpt: xyz(fill, WHITE), A2B0: to, A2B1: to, A2B2: to, B2A0: from, B2A1: from, B2A2: from };
    },
  };
}

function stagesProfile(space: "RGB " | "CMYK", bytes: 1 | 2, hasMatrix: boolean): ProfileSpec {
  const channels = space === "CMYK" ? 4 : 3;
  return {
    version: 4,
    deviceClass: "prtr",
    space,
    connection: "Lab ",
    tags: (fill) => {
      const curves = (count: number): Uint8Array[] =>
        Array.from({ length: count }, (_, index) =>
          index % 2 === 0 ? para(fill, 0, [1.3]) : curv(fill, steps(21, power(1.2))),
        );
      const matrix = hasMatrix
        ? { matrix: [0.9, 0, 0.05, 0, 1, 0, 0, 0.1, 0.9, 0.01, 0, 0.02], m: curves(3) }
        : {};
      const points = Array.from({ length: channels }, (_, axis) => 5 + axis);
      return {
        wtpt: xyz(fill, WHITE),
        A2B0: stages(fill, {
          type: "mAB ",
          inputs: channels,
          outputs: 3,
          b: curves(3),
          ...matrix,
          grid: { points, values: grid(points, labOf), bytes },
          a: curves(channels),
        }),
        B2A0: stages(fill, {
          type: "mBA ",
          inputs: 3,
          outputs: channels,
          b: curves(3),
          ...matrix,
          grid: { points: [6, 7, 8], values: grid([6, 7, 8], fromLab(channels)), bytes },
          a: curves(channels),
        }),
      };
    },
  };
}

/** A profile with only curves and a matrix, which needs no grid. */
const MATRIX_STAGES: ProfileSpec = {
  version: 4,
  deviceClass: "scnr",
  space: "RGB ",
  connection: "XYZ ",
  tags: (fill) => ({
    wtpt: xyz(fill, WHITE),
    A2B0: stages(fill, {
      type: "mAB ",
      inputs: 3,
      outputs: 3,
      b: [1, 1, 1].map((exponent) => para(fill, 0, [exponent])),
      matrix: [0.2, 0.25, 0.03, 0.25, 0.1, 0.12, 0.01, 0.2, 0.21, 0, 0, 0],
      m: [1.8, 2.2, 2.4].map((exponent) => para(fill, 0, [exponent])),
    }),
  }),
};

function grey(version: 2 | 4): ProfileSpec {
  return {
    version,
    deviceClass: "mntr",
    space: "GRAY",
    connection: "XYZ ",
    tags: (fill) => ({ wtpt: xyz(fill, WHITE), kTRC: curv(fill, steps(256, power(1.1))) }),
  };
}

/** A profile of each kind that is kept. */
export const PROFILE_KINDS: readonly (readonly [string, ProfileSpec])[] = [
  ["matrix, exponent", matrixProfile(2, (fill) => curv(fill, [0x01_40]))],
  ["matrix, identity", matrixProfile(2, (fill) => curv(fill, []))],
  ["matrix, sampled curves", matrixProfile(2, (fill) => curv(fill, steps(1024, power(1.4))))],
  ...[
    [1.5],
    [1.5, 0.9, 0.1],
    [1.5, 0.9, 0.1, 0.05],
    [2.4, 0.9479, 0.0521, 0.0774, 0.0405],
    [2.4, 0.9479, 0.0521, 0.0774, 0.0405, 0.01, 0.02],
  ].map(
    (values, formula) =>
      [`matrix, formula ${formula}`, matrixProfile(4, (fill) => para(fill, formula, values))] as const,
  ),
  ["grey, second version", grey(2)],
  ["grey, fourth version", grey(4)],
  ["RGB table of 8 bits", tableProfile("mft1", "RGB ")],
  ["RGB table of 16 bits", tableProfile("mft2", "RGB ")],
  ["CMYK table of 8 bits", tableProfile("mft1", "CMYK")],
  ["CMYK table of 16 bits", tableProfile("mft2", "CMYK")],
  ["RGB stages, grid of 8 bits", stagesProfile("RGB ", 1, false)],
  ["RGB stages, grid of 16 bits and matrix", stagesProfile("RGB ", 2, true)],
  ["CMYK stages", stagesProfile("CMYK", 2, true)],
  ["RGB stages without a grid", MATRIX_STAGES],
];
