/**
 * A person's changes so far, with undo and redo. Each change dispatches the event "change".
 *
 * @template D the changed value, a new object each time
 */
export class EditorSteps<D> extends EventTarget {
  readonly #steps: D[];
  #at = 0;
  #isGesture = false;

  constructor(first: D) {
    super();
    this.#steps = [first];
  }

  get draft(): D {
    const step = this.#steps[this.#at];
    if (step === undefined) throw new Error("There is no such step.");
    return step;
  }

  get canUndo() {
    return this.#at > 0;
  }

  get canRedo() {
    return this.#at < this.#steps.length - 1;
  }

  undo() {
    if (this.canUndo) this.#at -= 1;
    this.#tell();
  }

  redo() {
    if (this.canRedo) this.#at += 1;
    this.#tell();
  }

  /** Changes until {@link endGesture} are one step, so that a drag is undone as a whole. */
  beginGesture() {
    this.#push(this.draft);
    this.#isGesture = true;
  }

  endGesture() {
    this.#isGesture = false;
    const [before, after] = [this.#steps[this.#at - 1], this.#steps[this.#at]];
    if (before === after) this.#at -= 1;
    this.#steps.length = this.#at + 1;
    this.#tell();
  }

  change(changes: Partial<D>) {
    const draft = { ...this.draft, ...changes };
    if (this.#isGesture) this.#steps[this.#at] = draft;
    else this.#push(draft);
    this.#tell();
  }

  #push(draft: D) {
    this.#steps.splice(this.#at + 1, Infinity, draft);
    this.#at += 1;
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}
