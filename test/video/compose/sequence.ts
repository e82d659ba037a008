import { constantRate, type Script, type Shot } from "./clip.ts";

/** A named range of a script. */
interface Part {
  readonly script: Script;
  readonly fromSeconds: number;
  readonly untilSeconds: number;
}

/** Joins scripts of the same size into one, with a cut between each two, at a constant rate. */
export function inSequence(name: string, framesPerSecond: number, parts: readonly Part[]): Script {
  const shots: Shot[] = [];
  let startSeconds = 0;
  for (const { script, fromSeconds, untilSeconds } of parts) {
    const shift = fromSeconds - startSeconds;
    for (const [index, shot] of script.shots.entries()) {
      const endSeconds = script.shots[index + 1]?.fromSeconds ?? Infinity;
      if (endSeconds <= fromSeconds || shot.fromSeconds >= untilSeconds) continue;
      shots.push({ ...later(shot, shift), fromSeconds: Math.max(startSeconds, shot.fromSeconds - shift) });
    }
    startSeconds += untilSeconds - fromSeconds;
  }
  const [first] = parts;
  if (first === undefined) throw new RangeError("A sequence has parts.");
  const { width, height } = first.script;
  return { name, width, height, timestampsSeconds: constantRate(framesPerSecond, startSeconds), shots };
}

/** The shot with its time moved by this many seconds. */
function later(
  { backdrop, camera, targets, occluders = [] }: Shot,
  shift: number,
): Omit<Shot, "fromSeconds"> {
  return {
    backdrop,
    ...(camera === undefined ? {} : { camera: (seconds) => camera(seconds + shift) }),
    targets: targets.map(({ symbol, pose }) => ({ symbol, pose: (seconds) => pose(seconds + shift) })),
    occluders: occluders.map(({ at }) => ({ at: (seconds) => at(seconds + shift) })),
  };
}
