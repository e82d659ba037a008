import { shown } from "./inputs.js";
import { Panel } from "./panel.js";
import { printable } from "./printable.js";
import { reasonOf } from "./redact-file.js";
/** A report as the order wants it: with a bar on a terminal, in plain lines elsewhere. */
export function createReport({ isJson, isQuiet }, total) {
    const isTerminal = process.stderr.isTTY && !isQuiet;
    const panel = isTerminal ? new Panel(process.stderr, total) : undefined;
    const write = (stream, line) => {
        panel?.clear();
        stream.write(`${line}\n`);
        panel?.draw();
    };
    return {
        say(sentence) {
            if (!isQuiet)
                write(process.stderr, printable(sentence));
        },
        step(task, step) {
            panel?.step(task, step);
        },
        done(outcome) {
            panel?.done(outcome);
            if (isJson)
                write(process.stdout, JSON.stringify(recordOf(outcome)));
            else if (outcome.fault === undefined)
                write(process.stdout, printable(lineOf(outcome)));
            if (outcome.fault !== undefined && !isJson)
                write(process.stderr, printable(lineOf(outcome)));
        },
        summarise(outcomes) {
            panel?.clear();
            if (total === 1 || isQuiet)
                return;
            const failed = outcomes.filter(({ fault }) => fault !== undefined).length;
            const untouched = total - outcomes.length;
            const parts = [
                `${outcomes.length - failed} of ${total} files redacted`,
                ...(failed > 0 ? [`${failed} not`] : []),
                ...(untouched > 0 ? [`${untouched} not begun`] : []),
            ];
            process.stderr.write(`${parts.join(", ")}.\n`);
        },
        end() {
            panel?.end();
        },
    };
}
function lineOf({ task, fault, durationSeconds }) {
    if (fault === undefined)
        return `${task.name} → ${shown(task.outputPath)} (${durationSeconds.toFixed(1)} s)`;
    return `${task.name}: ${reasonOf(fault).message}`;
}
function recordOf({ task, mediaId, fault, durationSeconds }) {
    return {
        input: task.name,
        output: fault === undefined ? shown(task.outputPath) : null,
        media_id: mediaId ?? null,
        duration_seconds: Number(durationSeconds.toFixed(3)),
        error: fault === undefined ? null : reasonOf(fault),
    };
}
