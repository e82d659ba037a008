import { type Backdrop, backdrop } from "./backdrop.ts";
import { constantRate, type Pose, type Script, type Symbol } from "./clip.ts";
import { randomFrom } from "./random.ts";

const WIDTH = 480;
const HEIGHT = 270;
/** How far a camera may move from the middle of a backdrop. */
const SLACK_X = 180;
const SLACK_Y = 90;

/** A few backdrops are enough, because the moving objects differ. */
const places = new Map<number, Backdrop>();

function scenery(place: 1 | 2 | 3): Backdrop {
  const known = places.get(place);
  if (known !== undefined) return known;
  const drawn = backdrop({ width: WIDTH + 2 * SLACK_X, height: HEIGHT + 2 * SLACK_Y, seed: 17 + place });
  places.set(place, drawn);
  return drawn;
}

/** Camera shake: a sum of sines without a common period, with an amplitude of at most `strengthPx` and 0.5 to 5 Hz. */
function shake(strengthPx: number, seed: number): (seconds: number) => readonly [number, number] {
  const random = randomFrom(seed);
  const waves = [0.6, 1.3, 2.7, 4.9].map((hertz) => ({
    hertz,
    share: 1 / (1 + hertz),
    phases: [random() * 7, random() * 7] as const,
  }));
  const total = waves.reduce((sum, { share }) => sum + share, 0);
  const along = (seconds: number, axis: 0 | 1): number =>
    waves.reduce(
      (sum, { hertz, share, phases }) => sum + share * Math.sin(2 * Math.PI * hertz * seconds + phases[axis]),
      0,
    ) *
    (strengthPx / total);
  return (seconds) => [along(seconds, 0), along(seconds, 1)];
}

type Camera = (seconds: number) => readonly [x: number, y: number];
const still: Camera = () => [SLACK_X, SLACK_Y];
function moved(path: Camera): Camera {
  return (seconds) => {
    const [x, y] = path(seconds);
    return [SLACK_X + x, SLACK_Y + y];
  };
}
/** Converts a pose on the backdrop to the camera's view. */
function seenBy(camera: Camera, pose: (seconds: number) => Pose) {
  return (seconds: number) => {
    const [left, top] = camera(seconds);
    const placed = pose(seconds);
    return { ...placed, x: placed.x + SLACK_X - left, y: placed.y + SLACK_Y - top };
  };
}

/**
 * Clips in which codes move, shrink, turn, are hidden behind things, leave and come back, over natural-looking backdrops with
 * pans, camera shake, cuts, flashes and fades, at constant and variable frame rates. Needs at least three symbols.
 */
export function leakScripts(symbols: readonly Symbol[]): Script[] {
  const [one, two, three] = symbols;
  if (one === undefined || two === undefined || three === undefined) {
    throw new RangeError(`Three symbols are needed; there are ${symbols.length}.`);
  }
  const frame = { width: WIDTH, height: HEIGHT };
  const handheld = moved(shake(9, 3));
  const panning = moved((seconds) => [70 * (seconds - 1.25), 6 * Math.sin(2 * seconds)]);
  return [
    {
      ...frame,
      name: "handheld",
      timestampsSeconds: constantRate(30, 2.5),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(1),
          camera: handheld,
          targets: [
            {
              symbol: one,
              pose: seenBy(handheld, () => ({ x: 230, y: 130, sizePx: 84, angleRadians: 0.1 })),
            },
          ],
        },
      ],
    },
    {
      ...frame,
      name: "pan past two",
      timestampsSeconds: constantRate(30, 2.5),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(2),
          camera: panning,
          targets: [
            { symbol: one, pose: seenBy(panning, () => ({ x: 150, y: 90, sizePx: 70 })) },
            {
              symbol: two,
              pose: seenBy(panning, () => ({ x: 360, y: 180, sizePx: 60, angleRadians: -0.4 })),
            },
          ],
        },
      ],
    },
    {
      ...frame,
      name: "fast across",
      timestampsSeconds: constantRate(30, 2),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(3),
          camera: still,
          targets: [
            {
              symbol: one,
              pose: (t) => ({
                x: -60 + 300 * t,
                y: 150 - 40 * Math.sin(2 * t),
                sizePx: 76,
                angleRadians: 0.5 * t,
              }),
            },
          ],
        },
      ],
    },
    {
      ...frame,
      name: "shrinking",
      timestampsSeconds: constantRate(30, 2.5),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(1),
          camera: handheld,
          targets: [
            {
              symbol: two,
              pose: (t) => ({
                x: 240 + 30 * t,
                y: 140 - 10 * t,
                sizePx: 130 / (1 + 0.6 * t),
                angleRadians: 0.2,
              }),
            },
          ],
        },
      ],
    },
    {
      ...frame,
      name: "turning and growing",
      timestampsSeconds: constantRate(25, 2.4),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(2),
          camera: still,
          targets: [
            {
              symbol: three,
              pose: (t) => ({ x: 200 + 20 * t, y: 130, sizePx: 56 + 24 * t, angleRadians: 1.6 * t }),
            },
          ],
        },
      ],
    },
    {
      ...frame,
      name: "hidden for a while",
      timestampsSeconds: constantRate(30, 3),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(3),
          camera: still,
          targets: [{ symbol: one, pose: (t) => ({ x: 110 + 85 * t, y: 140, sizePx: 72 }) }],
          occluders: [{ at: () => ({ x: 240, y: 140, radiusX: 52, radiusY: 120 }) }],
        },
      ],
    },
    {
      ...frame,
      name: "leaves and comes back",
      timestampsSeconds: constantRate(30, 4),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(1),
          camera: still,
          targets: [
            {
              symbol: two,
              pose: (t) => ({
                x: 370 + 230 * Math.sin(1.5 * t),
                y: 120 + 20 * t,
                sizePx: 78,
                angleRadians: 0.3,
              }),
            },
          ],
        },
      ],
    },
    {
      ...frame,
      name: "cuts",
      timestampsSeconds: constantRate(30, 3),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(1),
          camera: still,
          targets: [{ symbol: one, pose: (t) => ({ x: 120 + 40 * t, y: 120, sizePx: 80 }) }],
        },
        {
          fromSeconds: 0.95,
          backdrop: scenery(2),
          camera: handheld,
          targets: [
            { symbol: three, pose: (t) => ({ x: 360 - 30 * t, y: 150, sizePx: 90, angleRadians: 0.7 }) },
            { symbol: two, pose: (t) => ({ x: 110, y: 80 + 30 * t, sizePx: 60 }) },
          ],
        },
        {
          fromSeconds: 2.1,
          backdrop: scenery(3),
          camera: panning,
          targets: [{ symbol: one, pose: seenBy(panning, () => ({ x: 300, y: 120, sizePx: 84 })) }],
        },
      ],
    },
    {
      ...frame,
      name: "crossing",
      timestampsSeconds: constantRate(30, 3),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(2),
          camera: still,
          targets: [
            { symbol: one, pose: (t) => ({ x: 90 + 100 * t, y: 110, sizePx: 66 }) },
            { symbol: three, pose: (t) => ({ x: 390 - 100 * t, y: 165, sizePx: 66, angleRadians: 0.2 }) },
          ],
        },
      ],
    },
    {
      ...frame,
      name: "thrown and bouncing",
      timestampsSeconds: constantRate(30, 2.6),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(3),
          camera: still,
          targets: [
            {
              symbol: two,
              pose: (t) => ({ x: 70 + 130 * t, y: bounce(t), sizePx: 70, angleRadians: 0.15 * t }),
            },
          ],
        },
      ],
    },
    {
      ...frame,
      name: "variable frame rate",
      timestampsSeconds: unsteadyRate(70),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(1),
          camera: handheld,
          targets: [
            { symbol: one, pose: (t) => ({ x: 130 + 80 * t, y: 130 + 25 * Math.sin(2.5 * t), sizePx: 74 }) },
          ],
        },
      ],
    },
    {
      ...frame,
      name: "flash and fade",
      timestampsSeconds: constantRate(30, 3),
      light: (t) => {
        if (t > 0.9 && t < 0.97) return { gain: 1, offset: 120 };
        return { gain: t < 2 ? 1 : Math.max(0, 1 - (t - 2) / 0.8), offset: 0 };
      },
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(2),
          camera: still,
          targets: [
            { symbol: three, pose: (t) => ({ x: 160 + 50 * t, y: 140, sizePx: 80, angleRadians: -0.2 }) },
          ],
        },
      ],
    },
    {
      ...frame,
      name: "seen for a moment",
      timestampsSeconds: constantRate(30, 2),
      shots: [
        {
          fromSeconds: 0,
          backdrop: scenery(3),
          camera: still,
          targets: [
            {
              symbol: one,
              pose: (t) => (t > 0.71 && t < 1.12 ? { x: 300 - 90 * t, y: 130, sizePx: 76 } : undefined),
            },
          ],
        },
      ],
    },
  ];
}

/** Falls, and bounces in the frame's lower part with half its speed. */
function bounce(seconds: number): number {
  const floor = 205;
  const gravity = 380;
  const start = 60;
  const fall = Math.sqrt((2 * (floor - start)) / gravity);
  if (seconds < fall) return start + (gravity * seconds * seconds) / 2;
  const speed = gravity * fall * 0.7;
  const since = (seconds - fall) % ((2 * speed) / gravity);
  return floor - speed * since + (gravity * since * since) / 2;
}

/** 15 to 60 frames per second, without a pattern. */
function unsteadyRate(count: number): number[] {
  const random = randomFrom(77);
  const times: number[] = [];
  for (let seconds = 0; times.length < count; seconds += 1 / 60 + random() ** 2 / 20) times.push(seconds);
  return times;
}
