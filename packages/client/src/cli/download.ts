import { resolve } from "node:path";
import { OutputExistsError, saveDownload } from "../node/index.ts";
import type { DownloadOrder } from "./correction-arguments.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { shown } from "./inputs.ts";
import { clientOf } from "./redact-files.ts";
import { exists, reasonOf } from "./redact-file.ts";
import { findService } from "./service.ts";

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
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`${reasonOf(error).message}\n`);
    return EXIT.someFailed;
  }
}
