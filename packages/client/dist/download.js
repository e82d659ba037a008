import { VeilConnectionError } from "./errors.js";
import { faultOf } from "./transport.js";
/** The download that an answer holds; its body is watched until it has ended. */
export function downloadOf(response, watch) {
    const length = response.headers.get("Content-Length");
    // Of a body that something in between has packed, the length is another.
    const isPacked = response.headers.has("Content-Encoding");
    const sizeBytes = length === null || isPacked ? undefined : Number(length);
    return {
        body: watched(response.body, sizeBytes, watch),
        contentType: response.headers.get("Content-Type") ?? "application/octet-stream",
        sizeBytes,
    };
}
function watched(source, sizeBytes, watch) {
    const reader = source?.getReader();
    let receivedBytes = 0;
    return new ReadableStream({
        async pull(controller) {
            try {
                watch.moved();
                const next = await reader?.read();
                // How slowly the file is taken is its reader's business.
                watch.pause();
                if (next?.value !== undefined) {
                    receivedBytes += next.value.length;
                    return controller.enqueue(next.value);
                }
                if (sizeBytes !== undefined && receivedBytes !== sizeBytes)
                    throw new VeilConnectionError(`${receivedBytes} bytes came of ${sizeBytes}.`);
                controller.close();
            }
            catch (fault) {
                watch.pause();
                throw faultOf(fault, watch);
            }
        },
        async cancel() {
            await reader?.cancel();
        },
    }, { highWaterMark: 0 });
}
