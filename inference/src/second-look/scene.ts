import type { Box } from "../geometry/box.ts";
import type { Picture } from "../images/decode.ts";
import type { Judgment, SceneJudgment } from "./manifest.ts";
import type { Window } from "./windows.ts";

type Size = Pick<Picture, "width" | "height">;

/** Least side of a window as a share of the picture's longer side, so that a banner is not cut into dozens of windows. */
const NARROWEST = 1 / 3;
/** The part of the picture that its windows may leave out, as a share of a window. */
const TOLERATED_REST = 0.08;

/** What a picture shows, as class probabilities per cell. */
export interface Scene {
  /** The windows that were judged, in the picture's pixels. */
  readonly windows: readonly Window[];
  /** Names of the classes. */
  readonly classes: readonly string[];
  /** Cells along each side of a window. */
  readonly cells: number;
  /** Probability of each class in each cell, [windows, classes, cells, cells]. */
  readonly maps: Float32Array;
}

/** Squares that cover a whole picture: as wide as its shorter side, and evenly spaced along its longer side. */
export function sceneWindows({ width, height }: Size): Window[] {
  const [longer, shorter] = [Math.max(width, height), Math.min(width, height)];
  const side = Math.max(shorter, longer * NARROWEST);
  const count = Math.max(1, Math.ceil(longer / side - TOLERATED_REST));
  const across = (shorter - side) / 2;
  return Array.from({ length: count }, (_, index) => {
    const along = count === 1 ? (longer - side) / 2 : (index * (longer - side)) / (count - 1);
    return width >= height ? { left: along, top: across, side } : { left: across, top: along, side };
  });
}

/**
 * The weights of both looks at a proposal in its scene. The offset includes, as log-odds, what the picture shows in the
 * proposal, below it and above it, and the proposal's size.
 * @param unitBox The proposal, in 0…1 of the picture.
 * @returns The judgment itself if it has no weights for the scene.
 */
export function weighedIn(
  scene: Scene,
  unitBox: Box,
  { picture, judgment }: { picture: Size; judgment: Judgment },
): Judgment {
  const { in_scene: inScene } = judgment;
  if (inScene === undefined) return judgment;
  const { stage_one_weight, second_look_weight, trusted_from = judgment.trusted_from } = inScene;
  const offset = inScene.offset + logOddsIn(scene, inPixels(unitBox, picture), { picture, inScene });
  return { ...judgment, stage_one_weight, second_look_weight, offset, trusted_from };
}

function inPixels({ left, top, right, bottom }: Box, { width, height }: Size): Box {
  return { left: left * width, top: top * height, right: right * width, bottom: bottom * height };
}

function logOddsIn(
  scene: Scene,
  box: Box,
  { picture: { width, height }, inScene }: { picture: Size; inScene: SceneJudgment },
): number {
  const side = Math.sqrt(Math.max(1, (box.right - box.left) * (box.bottom - box.top)));
  const share = side / Math.sqrt(width * height);
  const places = placesOf(box).map((place) => meansOf(place, scene));
  const sums = scene.classes.map((name, index) => {
    const weights = inScene.weights[name] ?? [];
    return places.reduce((sum, means, at) => sum + (weights[at] ?? 0) * (means[index] ?? 0), 0);
  });
  return (
    inScene.pixels_weight * Math.log(side) +
    inScene.share_weight * Math.log(share) +
    sums.reduce((sum, one) => sum + one, 0)
  );
}

/** The areas in the middle of a box, below it, and above it. */
function placesOf({ left, top, right, bottom }: Box): Box[] {
  const [width, height] = [right - left, bottom - top];
  return [
    {
      left: left + 0.2 * width,
      top: top + 0.2 * height,
      right: right - 0.2 * width,
      bottom: bottom - 0.2 * height,
    },
    { left: left - 0.5 * width, top: bottom, right: right + 0.5 * width, bottom: bottom + 1.5 * height },
    { left: left - width, top: top - height, right: right + width, bottom: top },
  ];
}

/** Mean probability of each class over an area. 0 outside of all windows. */
function meansOf(place: Box, { windows, classes, cells, maps }: Scene): number[] {
  const sums = classes.map(() => 0);
  let all = 0;
  for (const [index, { left, top, side }] of windows.entries()) {
    const scale = cells / side;
    const columns = sharesAlong((place.left - left) * scale, (place.right - left) * scale, cells);
    const rows = sharesAlong((place.top - top) * scale, (place.bottom - top) * scale, cells);
    for (const [y, down] of rows) {
      for (const [x, over] of columns) {
        all += down * over;
        const at = index * classes.length * cells * cells + y * cells + x;
        for (let one = 0; one < sums.length; one += 1) {
          sums[one] = (sums[one] ?? 0) + down * over * (maps[at + one * cells * cells] ?? 0);
        }
      }
    }
  }
  return sums.map((sum) => (all === 0 ? 0 : sum / all));
}

/** The cells that an interval overlaps. Each has the part of its length that lies in the interval. */
function sharesAlong(from: number, to: number, cells: number): [cell: number, share: number][] {
  const [first, end] = [Math.max(0, Math.floor(from)), Math.min(cells, Math.ceil(to))];
  return Array.from({ length: Math.max(0, end - first) }, (_, i) => {
    const cell = first + i;
    return [cell, Math.min(to, cell + 1) - Math.max(from, cell)];
  });
}
