import { resolve } from "node:path";
import type { VeilClient } from "../client.ts";
import type { Detection } from "../types.ts";
import type { DetectOrder, ReviseOrder, DownloadOrder } from "./correction-arguments.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { clientOf } from "./redact-files.ts";
import { reasonOf, exists } from "./redact-file.ts";
import { findService } from "./service.ts";
import { uploadInput } from "./upload-input.ts";
import { OutputExistsError, saveDownload } from "../node/index.ts";
import { shown } from "./inputs.ts";
import { readRegions } from "./regions-file.ts";

/** Prints the detections in a file or a media item: one line per detection, or the service's response as JSON. */
export async function detect(order: DetectOrder): Promise<ExitCode> {
  const client = clientOf(await findService(order, process.cwd()), order);
  try {
    const found = await client.detections(await mediaIdOf(client, order), order.filter);
    if (order.isJson) process.stdout.write(`${JSON.stringify(found)}\n`);
    else {
      for (const detection of found.detections) process.stdout.write(`${lineOf(detection)}\n`);
      const more = found.truncated ? " More was found than is listed." : "";
      process.stderr.write(`${found.detections.length} detections in media ${found.media_id}.${more}\n`);
    }
    return EXIT.allRedacted;
  } catch (error) {
    return failed(error);
  }
}

async function mediaIdOf(
  client: VeilClient,
  { subject, sensitivity, timeoutMs }: DetectOrder,
): Promise<string> {
  if ("mediaId" in subject) return subject.mediaId;
  const { categories, path } = subject;
  const { id } = await uploadInput(client, path, { categories, sensitivity, detectOnly: true });
  const media = await client.wait(id, { timeoutMs });
  if (media.status !== "completed") throw await client.mediaError(media);
  return id;
}

function lineOf({ id, category, confidence, redacted, box, ...times }: Detection): string {
  const sure = confidence === null ? "asked for" : `${(confidence * 100).toFixed(0)}%`;
  const place = [box.x, box.y, box.width, box.height].map((value) => value.toFixed(4)).join(",");
  const { start_seconds: start, end_seconds: end } = times;
  const span = start === undefined || end === undefined ? [] : [`${start.toFixed(2)}-${end.toFixed(2)} s`];
  return [id, category ?? "-", sure, redacted ? "redacted" : "open", place, ...span].join("\t");
}

/** Creates a revision of a media item, and writes its redacted file. */
export async function revise(order: ReviseOrder): Promise<ExitCode> {
  const client = clientOf(await findService(order, process.cwd()), order);
  const {
    mediaId,
    output,
    isForced,
    isFromCurrent: fromCurrent,
    isJson,
    revision,
    regionsPath,
    timeoutMs,
  } = order;
  const more = regionsPath === undefined ? [] : await readRegions(regionsPath);
  try {
    // The command checks this before it sends anything, and again when it writes.
    if (!isForced && (await exists(output))) throw new OutputExistsError(output);
    const regions = [...(revision.regions ?? []), ...more];
    const { id } = await client.revise(mediaId, { ...revision, regions }, { fromCurrent });
    const media = await client.wait(id, { timeoutMs });
    if (media.status !== "completed") throw await client.mediaError(media);
    await saveDownload(client, id, output, { overwrite: isForced });
    process.stdout.write(
      isJson
        ? `${JSON.stringify({ revision_of: mediaId, media_id: id, output: shown(output) })}\n`
        : `${mediaId} → ${shown(output)}, as media ${id}\n`,
    );
    return EXIT.allRedacted;
  } catch (error) {
    return failed(error);
  }
}

/** Waits for a media item to finish, and writes its redacted file. */
export async function download(order: DownloadOrder): Promise<ExitCode> {
  const client = clientOf(await findService(order, process.cwd()), order);
  const { mediaId, output, isForced, isJson, timeoutMs } = order;
  try {
    if (output !== undefined && !isForced && (await exists(output))) throw new OutputExistsError(output);
    const media = await client.wait(mediaId, { timeoutMs });
    if (media.status !== "completed") throw await client.mediaError(media);
    const { path } = await saveDownload(
      client,
      mediaId,
      ({ filename }) => resolve(output ?? filename ?? mediaId),
      { overwrite: isForced },
    );
    process.stdout.write(
      isJson
        ? `${JSON.stringify({ media_id: mediaId, output: shown(path) })}\n`
        : `${mediaId} → ${shown(path)}\n`,
    );
    return EXIT.allRedacted;
  } catch (error) {
    return failed(error);
  }
}

/** Says on standard error why a command failed. */
function failed(error: unknown): ExitCode {
  if (!(error instanceof Error)) throw error;
  process.stderr.write(`${reasonOf(error).message}\n`);
  return EXIT.someFailed;
}
