import { VeilTimeoutError } from "./errors.js";
/** Starts to watch over an exchange. */
export function watchIdleness(idleTimeoutMs, callerSignal) {
    const controller = new AbortController();
    const signal = callerSignal === undefined ? controller.signal : AbortSignal.any([callerSignal, controller.signal]);
    const giveUp = () => {
        controller.abort(new VeilTimeoutError(`Nothing moved for ${idleTimeoutMs / 1000} seconds.`));
    };
    let timer = setTimeout(giveUp, idleTimeoutMs);
    return {
        signal,
        moved() {
            clearTimeout(timer);
            timer = setTimeout(giveUp, idleTimeoutMs);
        },
        pause() {
            clearTimeout(timer);
        },
    };
}
