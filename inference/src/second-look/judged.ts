/** Most crops in one run, because activations grow with them. */
export const MAX_BATCH = 16;

/** What a second look answers. */
export interface Judged {
  /** Probability of each class, [n, classes]. */
  readonly scores: Float32Array;
  /** Refined boxes, in the same form as the given boxes, one for each of the manifest's quantiles: [n, quantiles, 4]. */
  readonly boxes: Float32Array;
  /** Probability that each crop was turned counterclockwise by 0 to 3 quarters, [n, 4]. Only some networks predict it. */
  readonly quarters?: Float32Array | undefined;
  /** What each crop shows, [n, classes of the scene, cells, cells]. Only some networks predict it. */
  readonly scenes?: Float32Array | undefined;
}

/** The answers of several runs as those of one. */
export function joinJudged(parts: readonly Judged[]): Judged {
  return {
    scores: joined(parts.map(({ scores }) => scores)),
    boxes: joined(parts.map(({ boxes }) => boxes)),
    quarters: joinedIfAny(parts.map(({ quarters }) => quarters)),
    scenes: joinedIfAny(parts.map(({ scenes }) => scenes)),
  };
}

function joinedIfAny(parts: readonly (Float32Array | undefined)[]): Float32Array | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : joined(known);
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
