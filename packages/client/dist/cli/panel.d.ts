import type { Task } from "./inputs.ts";
import type { Outcome, Step } from "./redact-file.ts";
/** The last line of a terminal: a bar over all files, and what the file begun last is at. */
export declare class Panel {
    #private;
    constructor(stream: NodeJS.WriteStream, total: number);
    step(task: Task, step: Step): void;
    done({ task, fault }: Outcome): void;
    draw(): void;
    end(): void;
    clear(): void;
}
