import { delayBeforeRetryMs, retryAfterSecondsOf, sleep } from "./back-off.js";
import { VeilApiError, VeilConnectionError, VeilError } from "./errors.js";
import { watchIdleness } from "./idle-watch.js";
const REDIRECT = knownRedirectMode();
/** What platforms call the fault that a forbidden redirect is. */
const REDIRECTED = /redirect/i;
/**
 * Makes a call, again and again while its faults may pass by themselves.
 *
 * @throws VeilApiError, VeilConnectionError or VeilTimeoutError of the last try, or the reason of the call's signal
 */
export async function send(access, call) {
    for (let attempt = 0;; attempt++) {
        call.signal?.throwIfAborted();
        try {
            return await sendOnce(access, call, attempt);
        }
        catch (fault) {
            call.signal?.throwIfAborted();
            const delayMs = delayBeforeRetryMs(fault, attempt, access.retry);
            if (delayMs === undefined)
                throw fault;
            await sleep(delayMs, call.signal);
        }
    }
}
async function sendOnce(access, call, attempt) {
    const watch = watchIdleness(access.idleTimeoutMs, call.signal);
    let fileFault;
    let sentBytes = 0;
    const listener = {
        signal: watch.signal,
        onPiece: (bytes) => {
            watch.moved();
            call.onSent?.((sentBytes += bytes));
        },
        onFault: (fault) => (fileFault = fault),
    };
    try {
        const response = await access.fetch(`${access.baseUrl}${call.path}`, {
            method: call.method,
            headers: { Authorization: `Bearer ${access.apiKey}`, ...call.headers, ...bodyHeaders(call.body) },
            // A redirect would lead the file and its key to another place than the one that was named; and where one is possible,
            // Node keeps a copy of the whole body (Fetch §4.6 clones the request).
            redirect: REDIRECT,
            signal: watch.signal,
            ...streamedBody(call.body?.open(listener)),
        });
        watch.moved();
        const isGood = response.ok || call.isGood?.(response.status, attempt) === true;
        if (!isGood)
            throw await apiErrorOf(response);
        return await call.read(response, watch);
    }
    catch (fault) {
        throw fileFault ?? faultOf(fault, watch);
    }
    finally {
        watch.pause();
    }
}
/** Workers know no way to forbid redirects, and hand them over instead. */
function knownRedirectMode() {
    try {
        const { redirect } = new Request("https://veil.example.com", { redirect: "error" });
        return redirect === "error" ? "error" : "manual";
    }
    catch {
        return "manual";
    }
}
/** A platform's fault as one of the client's, or the reason for which the exchange was stopped. */
export function faultOf(fault, { signal }) {
    if (fault instanceof VeilError)
        return fault;
    if (signal.aborted)
        return signal.reason;
    const sentence = sentenceOf(fault);
    if (REDIRECTED.test(sentence))
        return new VeilError("The answer is a redirect; is the base URL right?", { cause: fault });
    return new VeilConnectionError(`The exchange with the service broke off: ${sentence}`, { cause: fault });
}
/** What a platform says of a fault; fetch hides the reason in `cause`. */
function sentenceOf(fault) {
    if (!(fault instanceof Error))
        return String(fault);
    const { cause } = fault;
    // Of several addresses of a host each has a fault, and their sum has no message.
    const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
    return inner instanceof Error && inner.message !== "" ? inner.message : fault.message;
}
function bodyHeaders(body) {
    if (body === undefined)
        return {};
    // Browsers ignore the length; where it is taken, a file that is too large is refused before it is sent.
    return { "Content-Type": body.contentType, "Content-Length": String(body.sizeBytes) };
}
function streamedBody(body) {
    // A streamed body wants this (Fetch §5.4), which not all declarations of RequestInit know.
    return body === undefined ? {} : { body, duplex: "half" };
}
async function apiErrorOf(response) {
    const { status } = response;
    const text = await response.text().catch(() => "");
    const body = envelopeOf(text);
    const retryAfterSeconds = retryAfterSecondsOf(response.headers.get("Retry-After"));
    return new VeilApiError(body?.error.message ?? sentenceOfAnswer(response), {
        status,
        body,
        retryAfterSeconds,
    });
}
function sentenceOfAnswer({ status, headers }) {
    const target = headers.get("Location");
    return target === null
        ? `The answer is ${status}, and not one of the service's own; is the base URL right?`
        : `The answer is ${status}, a redirect to ${target}; is the base URL right?`;
}
function envelopeOf(text) {
    try {
        const body = JSON.parse(text);
        return typeof body?.error?.code === "string" && typeof body.error.message === "string"
            ? body
            : undefined;
    }
    catch {
        return undefined;
    }
}
/** Reads an answer that is JSON of a type the contract promises. */
export async function readJson(response) {
    return (await response.json());
}
