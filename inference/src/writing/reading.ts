/** Whether a line can be read. What it says is not kept. */
export interface Reading {
  readonly characters: number;
  /** Mean probability of the characters, 0…1. 0 if there are none. */
  readonly certainty: number;
}

/**
 * Decodes the recognizer's answer by connectionist temporal classification: in each step the likeliest class counts, class 0 is no
 * character, and a repeated class is one character (Graves et al., 2006).
 *
 * @param probabilities [steps, classes]
 */
export function readingOf(probabilities: Float32Array, classes: number): Reading {
  let [characters, sum, before] = [0, 0, 0];
  for (let start = 0; start < probabilities.length; start += classes) {
    let best = 0;
    for (let index = 1; index < classes; index += 1) {
      if ((probabilities[start + index] ?? 0) > (probabilities[start + best] ?? 0)) best = index;
    }
    if (best !== 0 && best !== before) {
      characters += 1;
      sum += probabilities[start + best] ?? 0;
    }
    before = best;
  }
  return { characters, certainty: characters === 0 ? 0 : sum / characters };
}
