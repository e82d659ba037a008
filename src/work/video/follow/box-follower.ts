import type { CoarseFrame } from "../sampling/coarse-frame.ts";
import { learn, likenessOf, look, newPatch, type CoarseBox, type Patch } from "./patch.ts";

/** How similar a box must be to its remembered content to count as the same object, and to update that content. */
const LEAST_LIKENESS = 0.65;
const LEARNING_LIKENESS = 0.75;
/** A box that is less similar than this to the first frame's patch is another object, however gradual the change was. */
const LEAST_FIRST_LIKENESS = 0.3;
/** Share of the current content in the remembered content, which adapts because objects turn and light changes. */
const LEARNING_SHARE = 0.08;
/** Weight of the first frame's content in the similarity. It keeps the box from drifting off the object. */
const FIRST_SHARE = 0.35;
/** If the search near the expected position is at least this similar, no wider search is needed. */
const EASY_LIKENESS = 0.85;
/** A patch with less contrast than this matches anywhere, so it cannot be followed. */
const LEAST_CONTRAST = 2;
/** A box that is hidden for more frames than this is lost. Fewer may mean that something passes in front of it. */
const MOST_MISSES = 6;
/** The least number of values per side that is compared. Fewer values say too little. */
const LEAST_SIDE = 5;
/** Radius of the search around the expected position: a multiple of the box's longer side, but at least this many values. */
const REACH = 0.75;
const LEAST_REACH = 3;
/** How much the box may grow or shrink from frame to frame, and how much more similar a new size must be. */
const GROWTH = 1.025;
const GROWTH_GAIN = 0.004;
const MOST_GROWN = 4;
/** Smallest search step, in values of the coarse frame. Finer steps add no information. */
const FINEST_STEP = 0.125;
/** Weight of the newest step in the expected speed. */
const SPEED_SHARE = 0.5;

/** Follows one box from frame to frame, forward or backward, until it is lost. */
export class BoxFollower {
  readonly #first = newPatch();
  readonly #seen = newPatch();
  readonly #firstBox: CoarseBox;
  readonly #contrast: number;
  #learnt: Patch;
  #box: CoarseBox;
  #speed = { x: 0, y: 0 };
  #misses = 0;

  /** Begins with a box and the frame in which it is visible. */
  constructor(frame: CoarseFrame, box: CoarseBox) {
    this.#box = box;
    this.#firstBox = box;
    this.#contrast = look(frame, seenPart(box), this.#first);
    this.#learnt = this.#first.slice();
  }

  /** Whether the box has enough contrast to be followed at all. */
  get isTellable(): boolean {
    return this.#contrast >= LEAST_CONTRAST;
  }

  /** Finds the box in the next frame. Returns a box if it is visible, `hidden` if it may reappear, and `lost` if it is gone. */
  next(frame: CoarseFrame): CoarseBox | "hidden" | "lost" {
    const { x, y } = this.#speed;
    const expected = { ...this.#box, centerX: this.#box.centerX + x, centerY: this.#box.centerY + y };
    let found = this.#climb(frame, expected, startStep(expected));
    if (found.likeness < EASY_LIKENESS) {
      const wide = this.#search(frame, expected);
      if (wide.likeness > found.likeness) found = wide;
    }
    found = this.#resize(frame, found);
    if (!isWithin(found.box, frame)) return "lost";
    look(frame, seenPart(found.box), this.#seen);
    const isSame = likenessOf(this.#seen, this.#first) >= LEAST_FIRST_LIKENESS;
    if (found.likeness < LEAST_LIKENESS || !isSame) {
      this.#misses += 1;
      return this.#misses > MOST_MISSES ? "lost" : "hidden";
    }
    this.#learn(found);
    return this.#box;
  }

  /** Updates the box, its speed, and its remembered content from the patch that was read last. */
  #learn({ box, likeness }: Found): void {
    const steps = this.#misses + 1;
    const mix = (old: number, moved: number): number => old + (moved / steps - old) * SPEED_SHARE;
    this.#speed = {
      x: mix(this.#speed.x, box.centerX - this.#box.centerX),
      y: mix(this.#speed.y, box.centerY - this.#box.centerY),
    };
    this.#misses = 0;
    this.#box = box;
    if (likeness >= LEARNING_LIKENESS) this.#learnt = learn(this.#learnt, this.#seen, LEARNING_SHARE);
  }

  #likenessAt(frame: CoarseFrame, box: CoarseBox): number {
    look(frame, seenPart(box), this.#seen);
    const toFirst = likenessOf(this.#seen, this.#first);
    return (1 - FIRST_SHARE) * likenessOf(this.#seen, this.#learnt) + FIRST_SHARE * toFirst;
  }

  /** Climbs from a position toward higher similarity, in ever finer steps. */
  #climb(frame: CoarseFrame, from: CoarseBox, firstStep: number): Found {
    let best: Found = { box: from, likeness: this.#likenessAt(frame, from) };
    for (let step = firstStep; step >= FINEST_STEP; step /= 2) {
      for (let isBetter = true; isBetter;) {
        const { centerX, centerY } = best.box;
        isBetter = false;
        for (const [x, y] of AROUND) {
          const box = { ...best.box, centerX: centerX + x * step, centerY: centerY + y * step };
          const likeness = this.#likenessAt(frame, box);
          if (likeness <= best.likeness + 1e-6) continue;
          best = { box, likeness };
          isBetter = true;
        }
      }
    }
    return best;
  }

  /** Tries all positions within reach and climbs from the best one. */
  #search(frame: CoarseFrame, expected: CoarseBox): Found {
    const step = startStep(expected);
    const reach =
      Math.max(LEAST_REACH, REACH * Math.max(expected.width, expected.height)) * (1 + this.#misses / 2);
    let best: Found = { box: expected, likeness: -1 };
    for (let y = -reach; y <= reach; y += step) {
      for (let x = -reach; x <= reach; x += step) {
        const box = { ...expected, centerX: expected.centerX + x, centerY: expected.centerY + y };
        const likeness = this.#likenessAt(frame, box);
        if (likeness > best.likeness) best = { box, likeness };
      }
    }
    return this.#climb(frame, best.box, step / 2);
  }

  #resize(frame: CoarseFrame, found: Found): Found {
    let best = found;
    for (const growth of [GROWTH, 1 / GROWTH]) {
      const box = { ...found.box, width: found.box.width * growth, height: found.box.height * growth };
      const grown = box.width / this.#firstBox.width;
      if (grown > MOST_GROWN || grown < 1 / MOST_GROWN) continue;
      const likeness = this.#likenessAt(frame, box);
      if (likeness > found.likeness + GROWTH_GAIN && likeness > best.likeness) best = { box, likeness };
    }
    return best;
  }
}

interface Found {
  readonly box: CoarseBox;
  readonly likeness: number;
}

const AROUND = [
  [-1, -1],
  [0, -1],
  [1, -1],
  [-1, 0],
  [1, 0],
  [-1, 1],
  [0, 1],
  [1, 1],
] as const;

function startStep({ width, height }: CoarseBox): number {
  return Math.max(0.5, Math.min(2, Math.min(width, height) / 6));
}

function seenPart(box: CoarseBox): CoarseBox {
  return { ...box, width: Math.max(LEAST_SIDE, box.width), height: Math.max(LEAST_SIDE, box.height) };
}

/** A box is followed as long as its center is inside the frame. */
function isWithin({ centerX, centerY }: CoarseBox, { width, height }: CoarseFrame): boolean {
  return centerX > 0 && centerY > 0 && centerX < width && centerY < height;
}
