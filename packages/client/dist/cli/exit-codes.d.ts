/** What the process ends with. `leftAlone`: all files that were begun are redacted, but a folder held others. 130 is what shells take for an interruption: 128 and the signal's number, 2. */
export declare const EXIT: {
    readonly allRedacted: 0;
    readonly someFailed: 1;
    readonly usage: 2;
    readonly stopped: 3;
    readonly leftAlone: 4;
    readonly interrupted: 130;
};
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
