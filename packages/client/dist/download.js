import { delayBeforeRetryMs, sleep } from "./back-off.js";
import { VeilConnectionError } from "./errors.js";
import { faultOf, send } from "./transport.js";
/** Begins a download; its body is watched until it has ended. */
export async function openDownload(access, source) {
    const first = await openExchange(access, source, {});
    const sizeBytes = sizeOf(first.headers);
    return {
        body: resumableBody(access, source, { first, sizeBytes }),
        contentType: first.headers.get("Content-Type") ?? "application/octet-stream",
        sizeBytes,
    };
}
function resumableBody(access, source, { first, sizeBytes }) {
    let exchange = first;
    let receivedBytes = 0;
    let resumptions = 0;
    /** The same file from where it broke off. @throws the fault that broke it off when that cannot be */
    async function resume(fault) {
        const delayMs = delayBeforeRetryMs(fault, resumptions, access.retry);
        const etag = first.headers.get("ETag");
        if (delayMs === undefined || etag === null || sizeBytes === undefined)
            throw fault;
        resumptions += 1;
        await sleep(delayMs, source.signal);
        const next = await openExchange(access, source, {
            Range: `bytes=${receivedBytes}-`,
            "If-Range": etag,
        });
        const isRest = next.status === 206 &&
            next.headers.get("Content-Range") === `bytes ${receivedBytes}-${sizeBytes - 1}/${sizeBytes}`;
        if (isRest)
            return next;
        await next.reader?.cancel();
        throw fault;
    }
    async function readPiece() {
        for (;;) {
            try {
                const piece = await readFrom(exchange);
                receivedBytes += piece?.length ?? 0;
                if (piece === undefined && sizeBytes !== undefined && receivedBytes !== sizeBytes)
                    throw new VeilConnectionError(`${receivedBytes} bytes came of ${sizeBytes}.`);
                return piece;
            }
            catch (fault) {
                if (receivedBytes === sizeBytes)
                    return undefined;
                exchange = await resume(fault);
            }
        }
    }
    return new ReadableStream({
        async pull(controller) {
            const piece = await readPiece();
            if (piece === undefined)
                controller.close();
            else
                controller.enqueue(piece);
        },
        async cancel() {
            await exchange.reader?.cancel();
        },
    }, { highWaterMark: 0 });
}
async function openExchange(access, { path, signal }, headers) {
    return await send(access, {
        method: "GET",
        path,
        signal,
        headers,
        read: (response, watch) => ({
            headers: response.headers,
            status: response.status,
            reader: response.body?.getReader(),
            watch,
        }),
    });
}
/** The next bytes of a body, undefined at its end. */
async function readFrom({ reader, watch }) {
    try {
        watch.moved();
        const next = await reader?.read();
        return next?.value;
    }
    catch (fault) {
        throw faultOf(fault, watch);
    }
    finally {
        // How slowly the file is taken is its reader's business.
        watch.pause();
    }
}
function sizeOf(headers) {
    const length = headers.get("Content-Length");
    // Of a body that something in between has packed, the length is another.
    return length === null || headers.has("Content-Encoding") ? undefined : Number(length);
}
