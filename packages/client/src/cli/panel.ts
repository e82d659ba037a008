import type { Task } from "./inputs.ts";
import { printable } from "./printable.ts";
import type { Outcome, Step } from "./redact-file.ts";

const REDRAW_MS = 100;
const BAR_CELLS = 24;
/** CJK radicals. From here on, most characters are wide (Unicode UAX #11). */
const FIRST_WIDE = 0x2e80;
const CLEAR_LINE = "\r\u{1b}[2K";
/** How much of a file's progress lies before each step, and how much the step itself contributes. */
const WAY = {
  uploading: { before: 0, length: 0.5 },
  redacting: { before: 0.5, length: 0 },
  downloading: { before: 0.9, length: 0.1 },
} as const;

/** The last line of a terminal: a progress bar over all files, and the step of the file that was started last. */
export class Panel {
  readonly #stream: NodeJS.WriteStream;
  readonly #total: number;
  readonly #steps = new Map<Task, Step>();
  readonly #timer: NodeJS.Timeout;
  #ended = 0;
  #failed = 0;

  constructor(stream: NodeJS.WriteStream, total: number) {
    this.#stream = stream;
    this.#total = total;
    this.#timer = setInterval(() => this.draw(), REDRAW_MS);
    this.#timer.unref();
  }

  step(task: Task, step: Step): void {
    this.#steps.set(task, step);
  }

  done({ task, error }: Outcome): void {
    this.#steps.delete(task);
    this.#ended += 1;
    if (error !== undefined) this.#failed += 1;
  }

  draw(): void {
    if (this.#ended < this.#total) this.#stream.write(`${CLEAR_LINE}${this.#line()}`);
  }

  end(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  clear(): void {
    this.#stream.write(CLEAR_LINE);
  }

  #line(): string {
    const steps = [...this.#steps.values()];
    const way = steps.reduce(
      (sum, { name, share }) => sum + WAY[name].before + WAY[name].length * (share ?? 0),
      0,
    );
    const done = (this.#ended + way) / this.#total;
    const full = Math.floor(done * BAR_CELLS);
    const bar = `${"█".repeat(full)}${"░".repeat(BAR_CELLS - full)}`;
    const line = [`${bar} ${Math.floor(done * 100)} %`, ...this.#counts(), ...current(this.#steps)].join(
      " · ",
    );
    return cut(line, this.#stream.columns - 1);
  }

  #counts(): string[] {
    if (this.#total === 1) return [];
    const failed = this.#failed > 0 ? [`${this.#failed} failed`] : [];
    return [`${this.#ended} of ${this.#total}`, ...failed];
  }
}

function current(steps: ReadonlyMap<Task, Step>): string[] {
  const last = [...steps].at(-1);
  if (last === undefined) return [];
  const [task, { name, share }] = last;
  return [`${name} ${printable(task.name)}${share === undefined ? "" : ` ${Math.floor(share * 100)} %`}`];
}

/** Truncates a line to a number of columns. East Asian characters and pictographs take two. */
function cut(line: string, columns: number): string {
  let width = 0;
  let kept = "";
  for (const character of line) {
    width += (character.codePointAt(0) ?? 0) >= FIRST_WIDE ? 2 : 1;
    if (width > columns) break;
    kept += character;
  }
  return kept;
}
