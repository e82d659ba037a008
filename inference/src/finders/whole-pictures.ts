import type { Picture } from "../images/decode.ts";
import { TURNS, type Turn } from "../images/turn.ts";
import type { Judged } from "../second-look/judged.ts";
import { sceneWindows, type Scene } from "../second-look/scene.ts";
import type { Window } from "../second-look/windows.ts";
import type { SecondLookThreads } from "../workers/model-threads.ts";
import type { WorkerPool } from "../workers/pool.ts";

export interface WholePicturesOptions {
  /** The network that judges crops. */
  readonly thread: Pick<SecondLookThreads, "manifest" | "judge">;
  readonly pool: Pick<WorkerPool, "cut">;
}

/** Squares that cover a picture, and what the second look answers about them. */
interface Whole {
  readonly windows: readonly Window[];
  readonly judged: Judged;
}

const LEAST = 1e-6;

/** Shows a second look whole pictures, each of them once: the same crops say what a picture shows and which side is up. */
export class WholePictures {
  readonly #thread: WholePicturesOptions["thread"];
  readonly #pool: WholePicturesOptions["pool"];
  /** What was seen in each picture, by its pixels. */
  readonly #seen = new WeakMap<SharedArrayBuffer, Promise<Whole>>();

  constructor({ thread, pool }: WholePicturesOptions) {
    this.#thread = thread;
    this.#pool = pool;
  }

  /** What the picture shows. Undefined if the network does not tell. */
  async sceneOf(picture: Picture, signal: AbortSignal): Promise<Scene | undefined> {
    const { scene } = this.#thread.manifest;
    if (scene === undefined) return undefined;
    const { windows, judged } = await this.#wholeOf(picture, signal);
    return judged.scenes === undefined ? undefined : { windows, maps: judged.scenes, ...scene };
  }

  /** The turns that the picture seems to have. Empty if it seems upright, or if the network does not tell. */
  async turnsOf(picture: Picture, signal: AbortSignal): Promise<Turn[]> {
    const { turned } = this.#thread.manifest;
    if (turned === undefined) return [];
    const { judged } = await this.#wholeOf(picture, signal);
    const quarters = meanOf(judged.quarters ?? []);
    if ((quarters[0] ?? 1) >= turned.upright_from) return [];
    return TURNS.filter((turn) => (quarters[turn] ?? 0) >= turned.turn_from);
  }

  async #wholeOf(picture: Picture, signal: AbortSignal): Promise<Whole> {
    const known = this.#seen.get(picture.pixels);
    if (known !== undefined) return await known;
    const seen = this.#see(picture, signal);
    this.#seen.set(picture.pixels, seen);
    return await seen;
  }

  async #see(picture: Picture, signal: AbortSignal): Promise<Whole> {
    const { crop_pixels: cropPixels, pad_value: padValue } = this.#thread.manifest;
    const windows = sceneWindows(picture);
    const crops = await this.#pool.cut(picture, { windows, format: { cropPixels, padValue } }, signal);
    const boxes = Float32Array.from(windows.flatMap(() => [0, 0, 1, 1]));
    return { windows, judged: await this.#thread.judge({ crops, boxes }) };
  }
}

/** The geometric mean of several windows' probabilities of the four quarters: a window that is sure of one counts for more. */
function meanOf(quarters: ArrayLike<number>): number[] {
  const windows = quarters.length / 4;
  const products = [0, 1, 2, 3].map((turn) =>
    Math.exp(
      Array.from({ length: windows }, (_, at) =>
        Math.log(Math.max(LEAST, quarters[4 * at + turn] ?? 0)),
      ).reduce((sum, one) => sum + one / windows, 0),
    ),
  );
  const all = products.reduce((sum, one) => sum + one, 0);
  return windows === 0 ? [] : products.map((one) => one / all);
}
