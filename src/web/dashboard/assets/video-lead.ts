import { boxAround, moveWithin } from "./editor-geometry.ts";
import { thinKeyframes } from "./video-tracks.ts";
import type { Box, Point } from "./editor-geometry.ts";
import type { Gesture } from "./editor-gestures.ts";
import type { EditorShapes } from "./editor-shapes.ts";
import type { Keyframe } from "./editor-state.ts";
import type { VideoPlayer } from "./video-player.ts";
import type { VideoState } from "./video-state.ts";

/** How slowly the video plays while a person leads a mask. */
const LEADING_RATE = 0.25;

/** Lets a person lead a mask over what is to be hidden while the video plays slowly. */
export class Leading {
  readonly #state: VideoState;
  readonly #player: VideoPlayer;
  readonly #shapes: EditorShapes;
  #led: { key: string; box: Box; led: Keyframe[] } | undefined;
  readonly #noteEnd = () => {
    if (!this.#player.isPlaying) this.end();
  };

  constructor({
    state,
    player,
    shapes,
  }: {
    readonly state: VideoState;
    readonly player: VideoPlayer;
    readonly shapes: EditorShapes;
  }) {
    this.#state = state;
    this.#player = player;
    this.#shapes = shapes;
  }

  /** Puts the mask where it is led in the frame that is seen, before that is drawn. */
  note() {
    if (this.#led === undefined) return;
    const { led, box, key } = this.#led;
    const keyframe = { time_seconds: this.#player.seconds, box };
    const last = led.at(-1);
    if (last !== undefined && last.time_seconds >= keyframe.time_seconds) led.pop();
    led.push(keyframe);
    this.#state.lead(key, led);
  }

  get isLeading() {
    return this.#led !== undefined;
  }

  /**
   * Begins with a new mask, or goes on with one that is there.
   *
   * @param box where the mask is now
   * @param known the key of a mask that is there
   */
  begin(box: Box, known?: string) {
    this.end();
    this.#state.beginGesture();
    const { seconds } = this.#player;
    const keyframes = [{ time_seconds: seconds, box }];
    const key = known ?? this.#state.addTrack({ startSeconds: seconds, endSeconds: seconds, keyframes });
    this.#led = { key, box, led: [] };
    this.#shapes.select(key);
    this.note();
    this.#player.play(LEADING_RATE);
    this.#player.addEventListener("playing", this.#noteEnd);
  }

  leadTo(center: Point) {
    if (this.#led === undefined) return;
    this.#led.box = boxAround(center, this.#led.box);
    this.note();
  }

  nudge(right: number, down: number) {
    if (this.#led === undefined) return;
    this.#led.box = moveWithin(this.#led.box, right, down);
    this.note();
  }

  end() {
    if (this.#led === undefined) return;
    const { key, led } = this.#led;
    this.#led = undefined;
    this.#player.removeEventListener("playing", this.#noteEnd);
    this.#player.pause();
    this.#state.lead(key, thinKeyframes(led));
    this.#state.endGesture();
  }

  /** What a press does that leads: the mask is where the pointer is, for as long as it is pressed. */
  gesture(
    at: Point,
    {
      size,
      known,
    }: { readonly size: { width: number; height: number }; readonly known?: string | undefined },
  ): Gesture {
    this.begin(boxAround(at, size), known);
    return {
      move: (to) => {
        this.leadTo(to);
      },
      end: () => {
        this.end();
      },
    };
  }
}
