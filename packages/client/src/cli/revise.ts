import { OutputExistsError, saveDownload } from "../node/index.ts";
import type { ReviseOrder } from "./correction-arguments.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { shown } from "./inputs.ts";
import { clientOf } from "./redact-files.ts";
import { exists, reasonOf } from "./redact-file.ts";
import { readRegions } from "./regions-file.ts";
import { findService } from "./service.ts";

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
    // Checked before anything is sent; writing checks again.
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
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`${reasonOf(error).message}\n`);
    return EXIT.someFailed;
  }
}
