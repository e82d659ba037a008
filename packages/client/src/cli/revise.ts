import { readFile } from "node:fs/promises";
import { OutputExistsError, saveDownload } from "../node/index.ts";
import type { ReviseOrder } from "./correction-arguments.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { shown } from "./inputs.ts";
import { clientOf } from "./redact-files.ts";
import { exists, reasonOf } from "./redact-file.ts";
import { findService } from "./service.ts";
import type { Region } from "../types.ts";

/** The regions of a JSON file; the service checks each of them. @throws Error that names the file */
async function readRegions(path: string): Promise<Region[]> {
  const text = await readFile(path, "utf8");
  try {
    const regions: unknown = JSON.parse(text);
    if (Array.isArray(regions)) return regions as Region[];
  } catch {
    // Invalid JSON gets the same message as JSON that is not a list.
  }
  throw new Error(`${shown(path)} does not hold a JSON list of regions.`);
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
  try {
    // Known before anything is asked for; writing looks again.
    if (!isForced && (await exists(output))) throw new OutputExistsError(output);
    const more = regionsPath === undefined ? [] : await readRegions(regionsPath);
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
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`${reasonOf(error).message}\n`);
    return EXIT.someFailed;
  }
}
