import { boxAround, moveWithin } from "./editor-geometry.js";
import { thinKeyframes } from "./video-tracks.js";

/** @import { Box, Point } from "./editor-geometry.js" */
/** @import { Gesture } from "./editor-gestures.js" */
/** @import { EditorShapes } from "./editor-shapes.js" */
/** @import { Keyframe } from "./editor-state.js" */
/** @import { VideoPlayer } from "./video-player.js" */
/** @import { VideoState } from "./video-state.js" */

/** How slowly the video plays while a person leads a mask. */
const LEADING_RATE = 0.25;

/** Lets a person lead a mask over what is to be hidden while the video plays slowly. */
export class Leading {
  #state;
  #player;
  #shapes;
  /** @type {{ key: string, box: Box, led: Keyframe[] } | undefined} */
  #led;
  #noteEnd = () => {
    if (!this.#player.isPlaying) this.end();
  };

  /**
   * @param {object} parts
   * @param {VideoState} parts.state
   * @param {VideoPlayer} parts.player
   * @param {EditorShapes} parts.shapes
   */
  constructor({ state, player, shapes }) {
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
   * @param {Box} box where the mask is now
   * @param {string} [known] the key of a mask that is there
   */
  begin(box, known) {
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

  /** @param {Point} center */
  leadTo(center) {
    if (this.#led === undefined) return;
    this.#led.box = boxAround(center, this.#led.box);
    this.note();
  }

  /**
   * @param {number} right
   * @param {number} down
   */
  nudge(right, down) {
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

  /**
   * What a press does that leads: the mask is where the pointer is, for as long as it is pressed.
   *
   * @param {Point} at
   * @param {{ readonly size: { width: number, height: number }, readonly known?: string | undefined }} options
   * @returns {Gesture}
   */
  gesture(at, { size, known }) {
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
