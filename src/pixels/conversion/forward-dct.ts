/** Cosines of the 8×8 transform, with its factors (T.81, A.3.3). */
const C1 = Math.cos(Math.PI / 16) / 2;
const C2 = Math.cos(Math.PI / 8) / 2;
const C3 = Math.cos((3 * Math.PI) / 16) / 2;
const C4 = Math.SQRT1_2 / 2;
const C5 = Math.cos((5 * Math.PI) / 16) / 2;
const C6 = Math.cos((3 * Math.PI) / 8) / 2;
const C7 = Math.cos((7 * Math.PI) / 16) / 2;

/** The forward DCT of an 8×8 block of samples, in place (T.81, A.3.3). */
export function forwardDct(block: Float64Array): void {
  for (let row = 0; row < 64; row += 8) transform(block, row, 1);
  for (let column = 0; column < 8; column++) transform(block, column, 8);
}

function transform(block: Float64Array, at: number, step: number): void {
  const a0 = block[at] as number;
  const a1 = block[at + step] as number;
  const a2 = block[at + 2 * step] as number;
  const a3 = block[at + 3 * step] as number;
  const a4 = block[at + 4 * step] as number;
  const a5 = block[at + 5 * step] as number;
  const a6 = block[at + 6 * step] as number;
  const a7 = block[at + 7 * step] as number;
  const s0 = a0 + a7;
  const s1 = a1 + a6;
  const s2 = a2 + a5;
  const s3 = a3 + a4;
  const d0 = a0 - a7;
  const d1 = a1 - a6;
  const d2 = a2 - a5;
  const d3 = a3 - a4;
  block[at] = C4 * (s0 + s1 + s2 + s3);
  block[at + 4 * step] = C4 * (s0 - s1 - s2 + s3);
  block[at + 2 * step] = C2 * (s0 - s3) + C6 * (s1 - s2);
  block[at + 6 * step] = C6 * (s0 - s3) - C2 * (s1 - s2);
  block[at + step] = C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3;
  block[at + 3 * step] = C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3;
  block[at + 5 * step] = C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3;
  block[at + 7 * step] = C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3;
}
