import { noteOutputUpload } from "../../media/media-jobs.repository.ts";
import { abortMultipartUpload, outputKey, sourceKey } from "../../media/media.objects.ts";
import { ObjectWriter } from "../../media/object-writer.ts";
import { openContainer } from "../containers/open-container.ts";
import { objectRanges } from "../containers/stored-ranges.ts";
import { movieParts } from "../output/movie-assembly.ts";
import { RenderedPackets } from "../output/rendered-packets.ts";
import { webmParts } from "../output/webm-assembly.ts";
import { loadPlan, type StepContext } from "../tasks/step-context.ts";

/** Writes the output: the encoded frames with the source's times, and the source's audio. Returns its size in bytes. */
export async function assembleVideo(context: StepContext): Promise<number> {
  const { config, database, row, order, signal } = context;
  const owned = { accountId: row.accountId, mediaId: row.id };
  const plan = await loadPlan(context);
  const rendered = await RenderedPackets.open(context, plan);
  const read = objectRanges(config.MEDIA, sourceKey(order.source));
  const container = openContainer(read, row.fileSizeBytes);
  const key = outputKey(owned);
  // An earlier try may have died in the middle of its upload.
  if (row.outputUploadId !== null) await abortMultipartUpload(config.MEDIA, key, row.outputUploadId);
  const writer = new ObjectWriter(config.MEDIA, key, async (uploadId) => {
    await noteOutputUpload(database, { ...owned, leaseId: row.leaseId ?? "" }, uploadId);
  });
  try {
    const isMuted = order.options.audio === "mute";
    const source = { container, read, sizeBytes: row.fileSizeBytes, plan, rendered, isMuted };
    const parts =
      row.format === "webm"
        ? webmParts(source)
        : movieParts({ ...source, isQuickTime: row.format === "quicktime" });
    for await (const part of parts) {
      signal.throwIfAborted();
      await writer.write(part);
    }
    return await writer.finish();
  } catch (error) {
    await writer.abort();
    throw error;
  } finally {
    container.dispose();
  }
}
