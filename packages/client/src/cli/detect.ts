import type { VeilClient } from "../client.ts";
import type { Detection } from "../types.ts";
import type { DetectOrder } from "./correction-arguments.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { clientOf } from "./redact-files.ts";
import { reasonOf } from "./redact-file.ts";
import { findService } from "./service.ts";
import { uploadInput } from "./upload-input.ts";

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
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`${reasonOf(error).message}\n`);
    return EXIT.someFailed;
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
