import type { Order } from "./arguments.ts";
import { shown, type LeftAlone, type Task } from "./inputs.ts";
import { Panel } from "./panel.ts";
import { printable } from "./printable.ts";
import { reasonOf, type Outcome, type Step } from "./redact-file.ts";

/** Reports progress: results on standard output, everything else on standard error. */
export interface Report {
  say(sentence: string): void;
  step(task: Task, step: Step): void;
  /** Reports a file that is skipped. */
  leave(file: LeftAlone): void;
  done(outcome: Outcome): void;
  summarize(outcomes: readonly Outcome[], leftAlone: number): void;
  end(): void;
}

/** Creates the report that an order asks for: with a progress bar on a terminal, in plain lines elsewhere. */
export function createReport({ isJson, isQuiet, isDetectOnly }: Order, total: number): Report {
  const isTerminal = process.stderr.isTTY && !isQuiet;
  const panel = isTerminal ? new Panel(process.stderr, total) : undefined;
  const write = (stream: NodeJS.WriteStream, line: string): void => {
    panel?.clear();
    stream.write(`${line}\n`);
    panel?.draw();
  };
  return {
    say(sentence) {
      if (!isQuiet) write(process.stderr, printable(sentence));
    },
    step(task, step) {
      panel?.step(task, step);
    },
    leave(file) {
      const code = file.reason;
      const message = LEFT_ALONE[code];
      if (isJson) {
        const record = { media_id: null, duration_seconds: 0, error: { code, message } };
        write(process.stdout, JSON.stringify({ input: file.name, output: null, ...record }));
      } else if (code !== "redacted_already") {
        write(process.stderr, printable(`${file.name}: Skipped. ${message}`));
      }
    },
    done(outcome) {
      panel?.done(outcome);
      if (isJson) write(process.stdout, JSON.stringify(recordOf(outcome, isDetectOnly)));
      else if (outcome.error === undefined) write(process.stdout, printable(lineOf(outcome, isDetectOnly)));
      if (outcome.error !== undefined && !isJson)
        write(process.stderr, printable(lineOf(outcome, isDetectOnly)));
    },
    summarize(outcomes, leftAlone) {
      panel?.clear();
      if ((total === 1 && leftAlone === 0) || isQuiet) return;
      const failed = outcomes.filter(({ error }) => error !== undefined).length;
      const untouched = total - outcomes.length;
      const parts = [
        `${outcomes.length - failed} of ${total} files ${isDetectOnly ? "analyzed" : "redacted"}`,
        ...(failed > 0 ? [`${failed} failed`] : []),
        ...(untouched > 0 ? [`${untouched} not started`] : []),
        ...(leftAlone > 0 ? [`${leftAlone} skipped`] : []),
      ];
      process.stderr.write(`${parts.join(", ")}.\n`);
    },
    end() {
      panel?.end();
    },
  };
}

const LEFT_ALONE: Readonly<Record<LeftAlone["reason"], string>> = {
  skipped: "Unsupported extension. To upload it anyway, pass the file's path.",
  redacted_already: "Its name says that it is already redacted.",
  output_exists: "Its redacted file exists.",
};

function lineOf({ task, mediaId, error, durationSeconds }: Outcome, isDetectOnly: boolean): string {
  if (error === undefined && isDetectOnly)
    return `${task.name}: analyzed, as media ${mediaId} (${durationSeconds.toFixed(1)} s)`;
  if (error === undefined)
    return `${task.name} → ${shown(task.outputPath)} (${durationSeconds.toFixed(1)} s)`;
  return `${task.name}: ${reasonOf(error).message}`;
}

function recordOf({ task, mediaId, error, durationSeconds }: Outcome, isDetectOnly: boolean): object {
  return {
    input: task.name,
    output: error === undefined && !isDetectOnly ? shown(task.outputPath) : null,
    media_id: mediaId ?? null,
    duration_seconds: Number(durationSeconds.toFixed(3)),
    error: error === undefined ? null : reasonOf(error),
  };
}
