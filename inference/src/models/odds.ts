/** Log-odds of a confidence. */
export function logOddsOf(confidence: number): number {
  return Math.log(confidence / (1 - confidence));
}

/** The confidence that has these log-odds. */
export function confidenceOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
