import type { Sides } from "../../../pixels/geometry/box.ts";
import { logLikelihoodOf, type MotionState, type Observation, SmoothedMotion } from "./kalman.ts";
import type { Chain } from "./link-sightings.ts";
import type { Sighting } from "./sightings.ts";

/** The box of an object at a time, in 0…1 of the frame, and the uncertainty of each side. */
export interface Whereabouts extends Sides {
  readonly slackX: number;
  readonly slackY: number;
  /** Speed of the center, in frame widths and heights per second. */
  readonly speedX: number;
  readonly speedY: number;
}

/** Standard deviation of a detector's coordinates, as a share of the object's size. */
const NOISES = [0.008, 0.02, 0.05] as const;
const USUAL_NOISE = 0.02;
/** Unsteadiness of motion: square root of the acceleration's spectral density, in object sizes per second^1.5. */
const UNSTEADINESSES = [0.2, 0.5, 1.2, 3, 7.5] as const;
const USUAL_UNSTEADINESS = 1.2;
/** Strength of the prior for the usual values: standard deviation of their logarithm. */
const BELIEF = 1.2;
/** Sizes change more steadily than positions. */
const SIZE_STEADINESS = 0.5;
/** A side at the frame's edge is where the frame crops the object, not where the object ends. */
const EDGE = 0.004;
const CUT_NOISE = 0.3;
/**
 * The highest factor by which a faint sighting is noisier than the most confident one of its track. Half the confidence means
 * four times the noise.
 */
const MOST_DOUBT = 8;
/** Standard deviations within which a side is expected: 95 %. */
const DEVIATIONS = 2;
/** A frame shows an object over the exposure time, but its timestamp is the beginning of that time. */
const SHUTTER_SECONDS = 0.01;
/** The largest slack as a share of an object's size. More slack hides no more of the object but ever more of everything else. */
const MOST_SLACK = 0.4;
/** However much an object shrinks, at least this share of its last size is hidden. */
const LEAST_SIZE = 0.3;

type Coordinate = "centreX" | "centreY" | "width" | "height";

/** The motion of one chain of sightings, at any time. */
export class Motion {
  readonly #chain: Chain;
  readonly #parts: Readonly<Record<Coordinate, SmoothedMotion>>;

  constructor(chain: Chain) {
    this.#chain = chain;
    const place = likeliest(chain, ["centreX", "centreY"], 1);
    const size = likeliest(chain, ["width", "height"], SIZE_STEADINESS);
    const fit = (coordinate: Coordinate, noise: NoiseModel): SmoothedMotion =>
      new SmoothedMotion(observationsOf(chain, coordinate, noise));
    this.#parts = {
      centreX: fit("centreX", place),
      centreY: fit("centreY", place),
      width: fit("width", size),
      height: fit("height", size),
    };
  }

  /** The box at a time after sighting `index` and not after the next one. Index −1 means before the first. */
  at(index: number, timeSeconds: number): Whereabouts {
    const near = this.#chain[Math.max(0, index)] ?? this.#chain[0];
    const next = this.#chain[index + 1] ?? near;
    const x = this.#parts.centreX.stateAfter(index, timeSeconds);
    const y = this.#parts.centreY.stateAfter(index, timeSeconds);
    const width = this.#parts.width.stateAfter(index, timeSeconds);
    const height = this.#parts.height.stateAfter(index, timeSeconds);
    const halfWidth = Math.max(width.value, leastOf(near?.width, next?.width)) / 2;
    const halfHeight = Math.max(height.value, leastOf(near?.height, next?.height)) / 2;
    return {
      left: x.value - halfWidth,
      right: x.value + halfWidth,
      top: y.value - halfHeight,
      bottom: y.value + halfHeight,
      slackX: slackOf(x, width, 2 * halfWidth),
      slackY: slackOf(y, height, 2 * halfHeight),
      speedX: x.speed,
      speedY: y.speed,
    };
  }
}

function leastOf(a = 0, b = 0): number {
  return LEAST_SIZE * Math.min(a, b);
}

/** Uncertainty of center ± size/2, where the two are independent. */
function slackOf(place: MotionState, extent: MotionState, size: number): number {
  const deviation = Math.sqrt(place.variance + extent.variance / 4);
  return Math.min(MOST_SLACK * size, DEVIATIONS * deviation) + SHUTTER_SECONDS * Math.abs(place.speed);
}

interface NoiseModel {
  readonly noise: number;
  readonly unsteadiness: number;
}

/** The most likely noise model for the sightings, given the usual values (maximum a posteriori over a grid). */
function likeliest(chain: Chain, coordinates: readonly Coordinate[], steadiness: number): NoiseModel {
  const usual = { noise: USUAL_NOISE, unsteadiness: USUAL_UNSTEADINESS * steadiness };
  if (chain.length < 3) return usual;
  let best: NoiseModel = usual;
  let bestScore = -Infinity;
  for (const noise of NOISES) {
    for (const unsteadiness of UNSTEADINESSES.map((value) => value * steadiness)) {
      const surprise = Math.log(noise / usual.noise) ** 2 + Math.log(unsteadiness / usual.unsteadiness) ** 2;
      const fits = coordinates.map((coordinate) =>
        logLikelihoodOf(observationsOf(chain, coordinate, { noise, unsteadiness })),
      );
      const score = fits.reduce((sum, fit) => sum + fit, 0) - surprise / (2 * BELIEF * BELIEF);
      if (score > bestScore) {
        best = { noise, unsteadiness };
        bestScore = score;
      }
    }
  }
  return best;
}

function observationsOf(
  chain: Chain,
  coordinate: Coordinate,
  { noise, unsteadiness }: NoiseModel,
): Observation[] {
  const surest = Math.max(...chain.map(({ confidence }) => confidence));
  return chain.map((sighting, index) => {
    const size = sizeAlong(sighting, coordinate);
    const nextSize = sizeAlong(chain[index + 1] ?? sighting, coordinate);
    const doubt = Math.min(MOST_DOUBT, (surest / sighting.confidence) ** 2);
    const deviation = (isCut(sighting, coordinate) ? CUT_NOISE : noise * doubt) * size;
    return {
      timeSeconds: sighting.timeSeconds,
      value: sighting[coordinate],
      variance: deviation * deviation,
      diffusion: unsteadiness * unsteadiness * size * nextSize,
      diffusionBeyond: unsteadiness * unsteadiness * size * size,
    };
  });
}

function isHorizontal(coordinate: Coordinate): boolean {
  return coordinate === "centreX" || coordinate === "width";
}

function sizeAlong({ width, height }: Sighting, coordinate: Coordinate): number {
  return isHorizontal(coordinate) ? width : height;
}

function isCut({ centreX, centreY, width, height }: Sighting, coordinate: Coordinate): boolean {
  const [centre, size] = isHorizontal(coordinate) ? [centreX, width] : [centreY, height];
  return centre - size / 2 < EDGE || centre + size / 2 > 1 - EDGE;
}
