import type { Order } from "./arguments.ts";
import { type LeftAlone, type Task } from "./inputs.ts";
import { type Outcome, type Step } from "./redact-file.ts";
/** Tells how the work goes: results on the standard output, everything else on the standard error. */
export interface Report {
    say(sentence: string): void;
    step(task: Task, step: Step): void;
    /** Names a file that is not redacted, since it is none to redact. */
    leave(file: LeftAlone): void;
    done(outcome: Outcome): void;
    summarise(outcomes: readonly Outcome[], leftAlone: number): void;
    end(): void;
}
/** A report as the order wants it: with a bar on a terminal, in plain lines elsewhere. */
export declare function createReport({ isJson, isQuiet }: Order, total: number): Report;
