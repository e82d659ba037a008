import type { Detection } from "../detections/detection.ts";
import { toStored } from "../detections/stored.ts";
import type { Orientation } from "../geometry/orientation.ts";
import { suppress } from "../geometry/suppress.ts";
import type { Picture } from "../images/decode.ts";
import { TURNS, type Turn } from "../images/turn.ts";
import type { Window } from "../second-look/windows.ts";
import type { Question } from "./finder.ts";
import { WrappingFinder } from "./wrapping.finder.ts";

/** The EXIF orientation of a picture that is turned counterclockwise by 1, 2 or 3 quarters. */
const ORIENTATION_OF: Readonly<Record<Turn, Orientation>> = { 1: 6, 2: 3, 3: 8 };

/**
 * Looks at a picture as it is and, if it seems to lie on its side or upside down, also upright. Photos that have lost their
 * orientation tag are stored like this, and detectors hardly find heads in them.
 */
export class TurnedFinder extends WrappingFinder {
  async find(picture: Picture, question: Question, signal: AbortSignal): Promise<Detection[]> {
    const [found, upright] = await Promise.all([
      this.finder.find(picture, question, signal),
      this.#findUpright(picture, question, signal),
    ]);
    return upright.length === 0 ? found : this.#united(found, upright);
  }

  async #findUpright(picture: Picture, question: Question, signal: AbortSignal): Promise<Detection[]> {
    const { turned } = this.thread.manifest;
    const categories = question.categories.filter((name) => turned?.categories.includes(name));
    if (categories.length === 0) return [];
    const turns = await this.#turnsOf(picture, question, signal);
    const found = turns.map(async (turn) =>
      this.#findTurned(picture, turn, { question: { ...question, categories }, signal }),
    );
    return (await Promise.all(found)).flat();
  }

  /** The turns that the picture seems to have. Empty for videos, whose containers carry their orientation. */
  async #turnsOf(picture: Picture, { isSingleLook }: Question, signal: AbortSignal): Promise<Turn[]> {
    const { turned, crop_pixels: cropPixels, pad_value: padValue } = this.thread.manifest;
    if (turned === undefined || isSingleLook) return [];
    const windows = [middleSquareOf(picture)];
    const crops = await this.pool.cut(picture, { windows, format: { cropPixels, padValue } }, signal);
    const { quarters } = await this.thread.judge({ crops, boxes: Float32Array.of(0, 0, 1, 1) });
    if ((quarters?.[0] ?? 1) >= turned.upright_from) return [];
    return TURNS.filter((turn) => (quarters?.[turn] ?? 0) >= turned.turn_from);
  }

  async #findTurned(
    picture: Picture,
    turn: Turn,
    { question, signal }: { question: Question; signal: AbortSignal },
  ): Promise<Detection[]> {
    const upright = await this.pool.run("turn", { picture, turn }, signal);
    const found = await this.finder.find(upright, question, signal);
    const orientation = ORIENTATION_OF[turn];
    return found.map((one) => toStored(one, orientation));
  }

  /**
   * All detections of the picture as it is, and new ones from the upright picture. Neither look can drop the other's
   * detections.
   */
  #united(found: readonly Detection[], upright: readonly Detection[]): Detection[] {
    const { overlap, containment } = this.manifest.suppression;
    const asItIs = new Set(found);
    const ofCategory = Map.groupBy([...found, ...upright], ({ category }) => category);
    const surest = [...ofCategory.values()].flatMap((own) => suppress(own, { overlap, containment }));
    return [...found, ...surest.filter((one) => !asItIs.has(one))];
  }
}

function middleSquareOf({ width, height }: Picture): Window {
  const side = Math.min(width, height);
  return { left: Math.floor((width - side) / 2), top: Math.floor((height - side) / 2), side };
}
