import { meets } from "../../geometry/box.ts";
import { levelAt, type Label } from "../painting/labels.ts";
import type { Component } from "./frame.ts";
import { clampAc, clampDc, NATURAL_ORDER } from "./interpolation.ts";

const SIDE = 8;
const BLOCK = SIDE * SIDE;
/** Samples are stored as differences from middle gray. */
const GREY_LEVEL = 128;

/** Prints labels into painted blocks of one component. A label lies in a mask, and so do all blocks that it touches. */
export class LabelBlocks {
  readonly #component: Component;
  readonly #labels: readonly Label[];

  constructor(component: Component, labels: readonly Label[]) {
    this.#component = component;
    this.#labels = labels;
  }

  /** Whether there are no labels. */
  get isEmpty(): boolean {
    return this.#labels.length === 0;
  }

  /**
   * Prints the part of a label that lies in a block into the block's quantized coefficients, which are in zigzag order. Returns
   * the index of the last non-zero one, or `last` if no label touches the block.
   */
  print(args: {
    column: number;
    row: number;
    steps: Uint16Array;
    coefficients: Int16Array;
    last: number;
  }): number {
    const { column, row, steps, coefficients, last } = args;
    const { blockWidthPx, blockHeightPx } = this.#component;
    const [left, top] = [column * blockWidthPx, row * blockHeightPx];
    const block = { left, top, right: left + blockWidthPx, bottom: top + blockHeightPx };
    const touching = this.#labels.filter((label) => meets(label, block));
    if (touching.length === 0) return last;
    for (let k = 0; k < BLOCK; k++)
      frequencies[NATURAL_ORDER[k] as number] = (coefficients[k] as number) * (steps[k] as number);
    transform(frequencies, samples, "inverse");
    for (let at = 0; at < BLOCK; at++) {
      const x = Math.floor(left + ((at % SIDE) + 0.5) * (blockWidthPx / SIDE));
      const y = Math.floor(top + (Math.floor(at / SIDE) + 0.5) * (blockHeightPx / SIDE));
      const label = touching.find((one) => x >= one.left && x < one.right && y >= one.top && y < one.bottom);
      if (label !== undefined) samples[at] = levelAt(label, x, y) - GREY_LEVEL;
    }
    transform(samples, frequencies, "forward");
    let end = 0;
    for (let k = 0; k < BLOCK; k++) {
      const value = Math.round((frequencies[NATURAL_ORDER[k] as number] as number) / (steps[k] as number));
      coefficients[k] = k === 0 ? clampDc(value) : clampAc(value);
      if (value !== 0) end = k;
    }
    return end;
  }
}

const frequencies = new Float64Array(BLOCK);
const samples = new Float64Array(BLOCK);
const between = new Float64Array(BLOCK);

/** The transform of T.81, A.3.3, or its inverse: D·s·Dᵀ, or Dᵀ·F·D. */
function transform(from: Float64Array, to: Float64Array, way: "forward" | "inverse"): void {
  const factor = (out: number, inner: number): number =>
    BASIS[way === "forward" ? out * SIDE + inner : inner * SIDE + out] as number;
  for (let row = 0; row < SIDE; row++)
    for (let out = 0; out < SIDE; out++) {
      let sum = 0;
      for (let k = 0; k < SIDE; k++) sum += factor(out, k) * (from[row * SIDE + k] as number);
      between[row * SIDE + out] = sum;
    }
  for (let out = 0; out < SIDE; out++)
    for (let column = 0; column < SIDE; column++) {
      let sum = 0;
      for (let k = 0; k < SIDE; k++) sum += factor(out, k) * (between[k * SIDE + column] as number);
      to[out * SIDE + column] = sum;
    }
}

/** D: each frequency's cosine at each sample. */
const BASIS = Float64Array.from({ length: BLOCK }, (_, at) => {
  const [frequency, sample] = [Math.floor(at / SIDE), at % SIDE];
  const scale = frequency === 0 ? Math.SQRT1_2 : 1;
  return 0.5 * scale * Math.cos(((2 * sample + 1) * frequency * Math.PI) / 16);
});
