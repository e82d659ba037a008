/** What the process ends with. `leftAlone`: all files that were begun are redacted, but a folder held others. 130 is what shells take for an interruption: 128 and the signal's number, 2. */
export const EXIT = {
    allRedacted: 0,
    someFailed: 1,
    usage: 2,
    stopped: 3,
    leftAlone: 4,
    interrupted: 130,
};
