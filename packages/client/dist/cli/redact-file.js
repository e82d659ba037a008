import { access, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { VeilApiError, VeilError, VeilMediaError } from "../errors.js";
import { OutputExistsError, openFile, saveDownload } from "../node/index.js";
import { shown } from "./inputs.js";
/** Redacts one file from upload to written output. Never throws. */
export async function redactFile(work, task, onStep) {
    const startedAtMs = Date.now();
    let mediaId;
    let fault;
    try {
        await run({ ...work, task, onStep, onMedia: (id) => (mediaId = id) });
    }
    catch (caught) {
        fault = caught instanceof Error ? caught : new VeilError(String(caught));
    }
    return { task, mediaId, fault, durationSeconds: (Date.now() - startedAtMs) / 1000 };
}
async function run({ client, order, signal, unfinished, task, onStep, onMedia, }) {
    const { inputPath, outputPath } = task;
    const overwrite = order.isForced;
    // Known before anything is sent; writing looks again.
    if (!overwrite && (await exists(outputPath)))
        throw new OutputExistsError(outputPath);
    const file = await openFile(inputPath);
    const { id } = await client.upload({
        file,
        categories: order.categories,
        method: order.method,
        signal,
        onProgress: ({ sentBytes, totalBytes }) => onStep({ name: "uploading", share: sentBytes / totalBytes }),
    });
    onMedia(id);
    unfinished.add(id);
    onStep({ name: "redacting", share: undefined });
    const media = await client.wait(id, { signal, timeoutMs: order.timeoutMs });
    if (media.status !== "completed") {
        unfinished.delete(id);
        throw await client.mediaError(media, { signal });
    }
    await mkdir(dirname(outputPath), { recursive: true });
    await saveDownload(client, id, outputPath, {
        overwrite,
        signal,
        onProgress: ({ receivedBytes, totalBytes }) => onStep({ name: "downloading", share: receivedBytes / (totalBytes ?? receivedBytes) }),
    });
    unfinished.delete(id);
    if (order.isDeleting)
        await client.delete(id, { signal });
}
async function exists(path) {
    return await access(path).then(() => true, () => false);
}
/** Why a file is not redacted: a word for programs and sentences for people. */
export function reasonOf(fault) {
    if (fault instanceof VeilApiError) {
        const sentences = Object.values(fault.fields).flat();
        const message = sentences.length > 0 ? sentences.join(" ") : fault.message;
        return { code: fault.code ?? `http_${fault.status}`, message };
    }
    if (fault instanceof VeilMediaError) {
        const { media, failure, message } = fault;
        return { code: media.status, ...(failure === undefined ? {} : { failure_code: failure.code }), message };
    }
    if (fault instanceof OutputExistsError)
        return { code: "output_exists", message: `${shown(fault.path)} exists already; --force replaces it.` };
    if (fault.name === "AbortError")
        return { code: "interrupted", message: "Interrupted." };
    return { code: CODES[fault.name] ?? "file_system", message: fault.message };
}
const CODES = {
    VeilConnectionError: "connection_failed",
    VeilTimeoutError: "timed_out",
    VeilFileError: "file_not_readable",
};
