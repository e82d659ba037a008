import { VeilFileError } from "./errors.js";
/**
 * A form with text fields and one file (RFC 7578, names as HTML's form submission escapes them). The file is read as it
 * is sent and never held.
 */
export function multipartBody(fields, file, filename) {
    const boundary = `veil-${crypto.randomUUID()}`;
    const texts = fields.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"\r\n\r\n${value}\r\n`);
    const fileHead = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped(filename)}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    const head = new TextEncoder().encode(texts.join("") + fileHead);
    const tail = new TextEncoder().encode(`\r\n--${boundary}--\r\n`);
    return {
        contentType: `multipart/form-data; boundary=${boundary}`,
        sizeBytes: head.length + file.size + tail.length,
        open: (listener) => joined([head, file, tail], listener),
    };
}
function escaped(name) {
    return name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}
/** The parts one after another; a piece is read when it is asked for, none ahead. */
function joined(parts, { signal, onPiece, onFault }) {
    const pieces = piecesOf(parts);
    return new ReadableStream({
        async pull(controller) {
            // A platform may go on reading, and to the end, after the request has been given up.
            if (signal.aborted) {
                await pieces.return();
                return controller.error(signal.reason);
            }
            try {
                const { done, value } = await pieces.next();
                if (done === true)
                    return controller.close();
                onPiece(value.length);
                controller.enqueue(value);
            }
            catch (cause) {
                const reason = cause instanceof Error ? cause.message : String(cause);
                const fault = new VeilFileError(`The file cannot be read: ${reason}`, { cause });
                onFault(fault);
                throw fault;
            }
        },
        async cancel() {
            await pieces.return();
        },
    }, { highWaterMark: 0 });
}
async function* piecesOf(parts) {
    for (const part of parts) {
        if (part instanceof Uint8Array)
            yield part;
        else {
            const reader = part.stream().getReader();
            try {
                for (;;) {
                    const { done, value } = await reader.read();
                    if (done)
                        break;
                    yield value;
                }
            }
            finally {
                await reader.cancel();
            }
        }
    }
}
