import type { VeilClient } from "../client.ts";
import { cursorIn } from "../page-cursor.ts";
import type { Deletions, IncludedRequest, Media, MediaWithIncluded, Usage } from "../types.ts";
import type { DeletionsOrder, ListOrder, MediaOrder } from "./account-arguments.ts";
import type { Connection } from "./arguments.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { printable } from "./printable.ts";
import { clientOf } from "./redact-files.ts";
import { endsAll, reasonOf } from "./redact-file.ts";
import { findService } from "./service.ts";

/** Prints the newest media, one per line: ID, status, upload time, name. */
export async function list(order: ListOrder): Promise<ExitCode> {
  return await withClient(order, async (client) => {
    let left = order.limit;
    const { status, mediaType, externalId, folder, isCurrent } = order;
    const filter = {
      ...(status !== undefined && { status }),
      ...(mediaType !== undefined && { media_type: mediaType }),
      ...(externalId !== undefined && { external_id: externalId }),
      ...(folder !== undefined && { folder }),
      ...(isCurrent && { current: true }),
      ...(order.isJson && { include: ["metadata"] as const }),
    };
    for await (const media of client.listAll(filter)) {
      print(order.isJson ? JSON.stringify(media) : lineOf(media));
      left -= 1;
      if (left === 0) break;
    }
  });
}

/** Prints how much of its plan the account has used in this billing period. */
export async function showUsage(order: Connection): Promise<ExitCode> {
  return await withClient(order, async (client) => {
    const usage = await client.usage();
    print(order.isJson ? JSON.stringify(usage) : linesOf(usage).join("\n"));
  });
}

/**
 * Prints media items as `list` does, with the reason if one failed and the options of its upload. Stops at an item that does
 * not exist.
 */
export async function getMedia(order: MediaOrder): Promise<ExitCode> {
  return await withClient(order, async (client) => {
    for (const mediaId of order.mediaIds) {
      const media = await client.get(mediaId, { include: ["versions", "failure", "metadata", "request"] });
      const reason = printable(media.failure?.message ?? "");
      const line = [lineOf(media), reason, printable(sentWith(media))].join("\t").trimEnd();
      print(order.isJson ? JSON.stringify(media) : line);
    }
  });
}

/** Prints deletions, latest first, page by page up to the limit. */
export async function listDeletions(order: DeletionsOrder): Promise<ExitCode> {
  return await withClient(order, async (client) => {
    let left = order.limit;
    let cursor: string | undefined;
    do {
      const page = await client.deletions({
        ...(order.mediaIds.length > 0 && { media_id: order.mediaIds.join(",") }),
        ...(cursor !== undefined && { cursor }),
      });
      for (const deletion of page.data.slice(0, left))
        print(order.isJson ? JSON.stringify(deletion) : lineOfDeletion(deletion));
      left -= page.data.length;
      cursor = cursorIn(page.links.next);
    } while (left > 0 && cursor !== undefined);
  });
}

function lineOfDeletion(deletion: Deletions["data"][number]): string {
  const { media_id: id, deleted_at: deletedAt, file_name: name, deleted_by: by } = deletion;
  return [
    id,
    leftOf(deletion),
    deletedAt,
    printable(by.name ?? by.id),
    printable(name ?? "name not stored"),
  ].join("\t");
}

/** What is left of a deleted media item, and why it may be. */
function leftOf({ objects_left: objects, rows_left: rows }: Deletions["data"][number]): string {
  const left = [
    ...(objects === 0 ? [] : [`${objects} stored ${objects === 1 ? "object" : "objects"} left`]),
    ...(rows === 0
      ? []
      : [`${rows} database ${rows === 1 ? "row" : "rows"} left, such as an undelivered event`]),
  ];
  return left.length === 0 ? "nothing left" : left.join("; ");
}

/** Deletes media items and all their data. Continues after an item that cannot be deleted. */
export async function deleteMedia(order: MediaOrder): Promise<ExitCode> {
  return await forEach(order, {
    act: async (client, mediaId) => {
      await client.delete(mediaId);
      return { line: `${mediaId}: deleted`, record: { deleted: true } };
    },
    undone: { deleted: false },
  });
}

/** Retries failed media items. Continues after an item that cannot be retried. */
export async function retryMedia(order: MediaOrder): Promise<ExitCode> {
  return await forEach(order, {
    act: async (client, mediaId) => {
      const { id } = await client.retry(mediaId);
      return { line: `${mediaId} → media ${id}`, record: { retry_id: id } };
    },
    undone: { retry_id: null },
  });
}

/** The result for one media item: a line for people, and the record's fields besides its ID and error. */
interface Done {
  readonly line: string;
  readonly record: object;
}

/** Runs an action on each media item, and continues after a failure. */
async function forEach(
  order: MediaOrder,
  {
    act,
    undone,
  }: {
    readonly act: (client: VeilClient, mediaId: string) => Promise<Done>;
    /** The fields of a record whose action failed. */
    readonly undone: object;
  },
): Promise<ExitCode> {
  let isAllDone = true;
  const code = await withClient(order, async (client) => {
    for (const mediaId of order.mediaIds) {
      const done = await act(client, mediaId).catch((fault: unknown) =>
        fault instanceof Error ? fault : new Error(String(fault)),
      );
      if (!(done instanceof Error)) {
        print(order.isJson ? JSON.stringify({ media_id: mediaId, ...done.record, error: null }) : done.line);
        continue;
      }
      if (endsAll(done)) throw done;
      isAllDone = false;
      const reason = reasonOf(done);
      if (order.isJson) print(JSON.stringify({ media_id: mediaId, ...undone, error: reason }));
      else process.stderr.write(`${printable(`${mediaId}: ${reason.message}`)}\n`);
    }
  });
  return code === EXIT.allRedacted && !isAllDone ? EXIT.someFailed : code;
}

/** Runs a function with a client for an order's service, and reports errors. */
async function withClient(order: Connection, run: (client: VeilClient) => Promise<void>): Promise<ExitCode> {
  const client = clientOf(await findService(order, process.cwd()), order);
  try {
    await run(client);
    return EXIT.allRedacted;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`${printable(reasonOf(error).message)}\n`);
    return endsAll(error) ? EXIT.stopped : EXIT.someFailed;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function lineOf({ id, status, created_at: createdAt, filename }: Media): string {
  return [id, status, createdAt, printable(filename)].join("\t");
}

/** What was sent with an upload: its options, folder and metadata. */
function sentWith({ request, folder, metadata = {} }: MediaWithIncluded): string {
  const labels = [
    ...(folder ? [`folder=${JSON.stringify(folder)}`] : []),
    ...(Object.keys(metadata).length === 0 ? [] : [`metadata=${JSON.stringify(metadata)}`]),
  ];
  const options = request ? optionsOf(request) : "";
  return [...(options === "" ? [] : [options]), ...labels].join(" ");
}

/** The options of an upload besides its categories and method. */
function optionsOf(request: IncludedRequest): string {
  const { regions, ignore_regions: ignored, min_confidence: confidence } = request;
  return [
    ...(request.sensitivity === "normal" ? [] : [`sensitivity=${request.sensitivity}`]),
    ...(confidence === null ? [] : [`min_confidence=${JSON.stringify(confidence)}`]),
    ...(regions?.length ? [`regions=${regions.length}`] : []),
    ...(ignored?.length ? [`ignore_regions=${ignored.length}`] : []),
    ...(request.detect_only ? ["detect_only=true"] : []),
    ...(request.audio === "keep" ? [] : [`audio=${request.audio}`]),
    ...(request.mute_ranges?.length ? [`mute_ranges=${request.mute_ranges.length}`] : []),
  ].join(" ");
}

function linesOf({
  plan,
  period_start: start,
  period_end: end,
  images,
  video_minutes: minutes,
}: Usage): string[] {
  return [
    `Plan ${plan}, ${start} to ${end}`,
    `Images: ${shareOf(images)}`,
    `Video minutes: ${shareOf(minutes)}`,
  ];
}

function shareOf({ used, limit }: Usage["images"]): string {
  if (limit === null) return `${used} used, no limit`;
  // The difference of two decimals may have many more digits.
  const left = Number(Math.max(0, limit - used).toFixed(2));
  return `${used} of ${limit} used, ${left} left`;
}
