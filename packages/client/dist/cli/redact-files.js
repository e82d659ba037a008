import { VeilClient } from "../client.js";
import { VeilApiError, VeilConnectionError, VeilError } from "../errors.js";
import { UsageError } from "./arguments.js";
import { EXIT } from "./exit-codes.js";
import { planOf } from "./inputs.js";
import { redactFile } from "./redact-file.js";
import { createReport } from "./report.js";
import { findService } from "./service.js";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const CLEAN_UP_MS = 10_000;
/** Redacts all files of an order and reports each. @throws UsageError before anything is sent */
export async function redactFiles(order) {
    const { tasks, leftAlone } = await planOf(order, process.cwd());
    const service = await findService(order, process.cwd());
    const client = clientOf(service, order);
    const report = createReport(order, tasks.length);
    const interrupt = new AbortController();
    const work = { client, order, signal: interrupt.signal, unfinished: new Set() };
    const stopListening = onInterruption(() => interrupt.abort());
    if (service.note !== undefined)
        report.say(service.note);
    for (const file of leftAlone)
        report.leave(file);
    try {
        const outcomes = await redactAll(work, tasks, report);
        await forget(work);
        report.summarise(outcomes, leftAlone.length);
        if (interrupt.signal.aborted)
            return EXIT.interrupted;
        if (outcomes.some(({ fault }) => fault !== undefined && endsAll(fault)))
            return EXIT.stopped;
        if (outcomes.some(({ fault }) => fault !== undefined))
            return EXIT.someFailed;
        return leftAlone.some(({ reason }) => reason === "left_alone") ? EXIT.leftAlone : EXIT.allRedacted;
    }
    finally {
        stopListening();
        report.end();
    }
}
function clientOf({ baseUrl, apiKey }, { allowHttp }) {
    try {
        return new VeilClient({ baseUrl, apiKey, allowHttp });
    }
    catch (fault) {
        throw fault instanceof VeilError ? new UsageError(fault.message) : fault;
    }
}
/** Works through the tasks, some at once, and stops beginning new ones once going on is of no use. */
async function redactAll(work, tasks, report) {
    const waiting = [...tasks];
    const outcomes = [];
    let isOver = false;
    const runner = async () => {
        for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
            if (isOver || work.signal.aborted)
                return;
            const current = task;
            const outcome = await redactFile(work, current, (step) => report.step(current, step));
            outcomes.push(outcome);
            report.done(outcome);
            isOver ||= outcome.fault !== undefined && endsAll(outcome.fault);
        }
    };
    await Promise.all(Array.from({ length: work.order.concurrency }, runner));
    return outcomes;
}
/** Whether the next file would meet the same. */
function endsAll(fault) {
    return fault instanceof VeilConnectionError || (fault instanceof VeilApiError && fault.status === 401);
}
/** Deletes from the service what was uploaded and will not be fetched. */
async function forget({ client, unfinished, signal }) {
    if (!signal.aborted)
        return;
    const inTime = AbortSignal.timeout(CLEAN_UP_MS);
    await Promise.allSettled([...unfinished].map(async (id) => await client.delete(id, { signal: inTime })));
}
/** The first interruption stops the work, the second one the process. */
function onInterruption(stop) {
    const first = () => {
        stopListening();
        stop();
    };
    const stopListening = () => {
        for (const signal of SIGNALS)
            process.off(signal, first);
    };
    for (const signal of SIGNALS)
        process.on(signal, first);
    return stopListening;
}
