/** One observation of a coordinate: the value in the coordinate's unit, the variance in its square. */
export interface Observation {
  readonly timeSeconds: number;
  readonly value: number;
  readonly variance: number;
  /** Spectral density of the acceleration's noise until the next observation, in unit²/s³. */
  readonly diffusion: number;
  /** The same before the first observation and after the last one. */
  readonly diffusionBeyond: number;
}

/** Mean and covariance of a coordinate and its speed. */
export interface MotionState {
  readonly value: number;
  readonly speed: number;
  readonly variance: number;
  readonly covariance: number;
  readonly speedVariance: number;
}

/** The speed is unknown before the second sighting. This variance is far above observed speeds, in (frame widths per second)². */
const UNKNOWN_SPEED_VARIANCE = 100;

/**
 * Predicts a coordinate after `seconds`, which may be negative: constant speed disturbed by white-noise acceleration
 * (Bar-Shalom, Li, Kirubarajan, Estimation with Applications to Tracking and Navigation, 2001, 6.2.2).
 */
function predict(state: MotionState, seconds: number, diffusion: number): MotionState {
  const { value, speed, variance, covariance, speedVariance } = state;
  const noise = diffusion * Math.abs(seconds);
  return {
    value: value + speed * seconds,
    speed,
    variance:
      variance +
      2 * seconds * covariance +
      seconds * seconds * speedVariance +
      (noise * seconds * seconds) / 3,
    covariance: covariance + seconds * speedVariance + (noise * seconds) / 2,
    speedVariance: speedVariance + noise,
  };
}

/** Kalman's measurement update (1960), and the log-likelihood of the observation. */
function update(
  state: MotionState,
  { value, variance }: Observation,
): { state: MotionState; logLikelihood: number } {
  const innovation = value - state.value;
  const total = state.variance + variance;
  const gain = state.variance / total;
  const speedGain = state.covariance / total;
  return {
    state: {
      value: state.value + gain * innovation,
      speed: state.speed + speedGain * innovation,
      variance: state.variance * (1 - gain),
      covariance: state.covariance * (1 - gain),
      speedVariance: state.speedVariance - speedGain * state.covariance,
    },
    logLikelihood: -0.5 * (Math.log(total) + (innovation * innovation) / total),
  };
}

/** Filtered states at the observations, in their order, and the log-likelihood of all observations. */
function filter(observations: readonly Observation[]): { states: MotionState[]; logLikelihood: number } {
  const states: MotionState[] = [];
  let logLikelihood = 0;
  let before: Observation | undefined;
  for (const observation of observations) {
    const last = states.at(-1);
    if (last === undefined || before === undefined) {
      const { value, variance } = observation;
      states.push({ value, speed: 0, variance, covariance: 0, speedVariance: UNKNOWN_SPEED_VARIANCE });
    } else {
      const expected = predict(last, observation.timeSeconds - before.timeSeconds, before.diffusion);
      const updated = update(expected, observation);
      states.push(updated.state);
      logLikelihood += updated.logLikelihood;
    }
    before = observation;
  }
  return { states, logLikelihood };
}

/** How well a noise model explains the observations. */
export function logLikelihoodOf(observations: readonly Observation[]): number {
  return filter(observations).logLikelihood;
}

/**
 * The state at any time given all observations, including later ones (Rauch, Tung, Striebel 1965). Before the first and after
 * the last observation, it is predicted. The initial speed is unknown, so the reversed observations give the same result.
 */
export class SmoothedMotion {
  readonly #observations: readonly Observation[];
  readonly #filtered: readonly MotionState[];
  readonly #smoothed: readonly MotionState[];

  /** @param observations in their order, at least one */
  constructor(observations: readonly Observation[]) {
    this.#observations = observations;
    this.#filtered = filter(observations).states;
    const states = [...this.#filtered];
    for (let index = states.length - 2; index >= 0; index--) {
      const seconds = this.#timeOf(index + 1) - this.#timeOf(index);
      states[index] = smooth(at(states, index), {
        later: at(states, index + 1),
        seconds,
        diffusion: this.#diffusionOf(index),
      });
    }
    this.#smoothed = states;
  }

  /** The state at a time after observation `index` and not after the next one. Index −1 means before the first. */
  stateAfter(index: number, timeSeconds: number): MotionState {
    const near = Math.max(0, index);
    const seconds = timeSeconds - this.#timeOf(near);
    if (index < 0 || index === this.#smoothed.length - 1) {
      return predict(at(this.#smoothed, near), seconds, at(this.#observations, near).diffusionBeyond);
    }
    const diffusion = this.#diffusionOf(index);
    const rest = this.#timeOf(index + 1) - timeSeconds;
    return smooth(predict(at(this.#filtered, index), seconds, diffusion), {
      later: at(this.#smoothed, index + 1),
      seconds: rest,
      diffusion,
    });
  }

  #timeOf(index: number): number {
    return at(this.#observations, index).timeSeconds;
  }

  #diffusionOf(index: number): number {
    return at(this.#observations, index).diffusion;
  }
}

/** Corrects a filtered state by the smoothed state that is `seconds` later. */
function smooth(
  state: MotionState,
  { later, seconds, diffusion }: { later: MotionState; seconds: number; diffusion: number },
): MotionState {
  const expected = predict(state, seconds, diffusion);
  const determinant = expected.variance * expected.speedVariance - expected.covariance ** 2;
  const a = state.variance + seconds * state.covariance;
  const b = state.covariance;
  const c = state.covariance + seconds * state.speedVariance;
  const d = state.speedVariance;
  const g00 = (a * expected.speedVariance - b * expected.covariance) / determinant;
  const g01 = (b * expected.variance - a * expected.covariance) / determinant;
  const g10 = (c * expected.speedVariance - d * expected.covariance) / determinant;
  const g11 = (d * expected.variance - c * expected.covariance) / determinant;
  const value = later.value - expected.value;
  const speed = later.speed - expected.speed;
  const p00 = later.variance - expected.variance;
  const p01 = later.covariance - expected.covariance;
  const p11 = later.speedVariance - expected.speedVariance;
  return {
    value: state.value + g00 * value + g01 * speed,
    speed: state.speed + g10 * value + g11 * speed,
    variance: Math.max(0, state.variance + g00 * (g00 * p00 + g01 * p01) + g01 * (g00 * p01 + g01 * p11)),
    covariance: state.covariance + g00 * (g10 * p00 + g11 * p01) + g01 * (g10 * p01 + g11 * p11),
    speedVariance: Math.max(
      0,
      state.speedVariance + g10 * (g10 * p00 + g11 * p01) + g11 * (g10 * p01 + g11 * p11),
    ),
  };
}

function at<T>(values: readonly T[], index: number): T {
  const value = values[index];
  if (value === undefined) throw new RangeError(`No entry ${index} among ${values.length}.`);
  return value;
}
