import { type Detection, toStored } from "../detections/detection.ts";
import type { Orientation } from "../geometry/orientation.ts";
import { suppress } from "../geometry/suppress.ts";
import type { Picture } from "../images/decode.ts";
import type { Turn } from "../images/turn.ts";
import type { Question } from "./finder.ts";
import type { WholePictures } from "./whole-pictures.ts";
import { WrappingFinder, type WrappingOptions } from "./wrapping.finder.ts";

/** The EXIF orientation of a picture that is turned counterclockwise by 1, 2 or 3 quarters. */
const ORIENTATION_OF: Readonly<Record<Turn, Orientation>> = { 1: 6, 2: 3, 3: 8 };

/**
 * Looks at a picture as it is and, if it seems to lie on its side or upside down, also upright. Photos that have lost their
 * orientation tag are stored like this, and detectors hardly find heads in them.
 */
export class TurnedFinder extends WrappingFinder {
  readonly #wholes: Pick<WholePictures, "turnsOf">;

  constructor({ wholes, ...options }: WrappingOptions & { wholes: Pick<WholePictures, "turnsOf"> }) {
    super(options);
    this.#wholes = wholes;
  }

  async find(picture: Picture, question: Question, signal: AbortSignal): Promise<Detection[]> {
    const [found, upright] = await Promise.all([
      this.finder.find(picture, question, signal),
      this.#findUpright(picture, question, signal),
    ]);
    return upright.length === 0 ? found : this.#united(found, upright);
  }

  async #findUpright(picture: Picture, question: Question, signal: AbortSignal): Promise<Detection[]> {
    // The containers of videos carry their orientation.
    if (question.isSingleLook) return [];
    const { turned } = this.thread.manifest;
    const categories = question.categories.filter((name) => turned?.categories.includes(name));
    if (categories.length === 0) return [];
    const turns = await this.#wholes.turnsOf(picture, signal);
    const found = turns.map(async (turn) =>
      this.#findTurned(picture, turn, { question: { ...question, categories }, signal }),
    );
    return (await Promise.all(found)).flat();
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
