import { chooseOptions, type MaskingOptions } from "../../records/masking/masking-options.ts";
import { sha256Hex } from "../../ground/platform/ids.ts";
import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";
import type { RedactionMethod } from "../../ground/vocabulary/media-values.ts";
import type { ReceivedFile } from "./files/file-reader.ts";
import type { Source } from "./source-url.ts";
import type { UploadLabels } from "./upload-labels.schemas.ts";

/** The options of an upload, however its file arrives. */
interface UploadTerms {
  readonly categories: RedactionCategory[];
  readonly method: RedactionMethod;
  readonly options: MaskingOptions;
  readonly labels: UploadLabels;
}

/** A valid upload: its file and how to process it. */
export interface UploadOrder extends UploadTerms {
  readonly file: ReceivedFile;
}

/** A valid upload by URL, whose file may not have been fetched yet. */
export interface SourceOrder extends UploadTerms {
  readonly source: Source;
}

/** A valid upload of a file from a resumable upload. */
export interface ResumableOrder extends UploadTerms {
  readonly uploadId: string;
  /** Undefined to use the name from the resumable upload. */
  readonly filename: string | undefined;
}

/** A valid upload whose file is not in its request. */
export type FilelessOrder = SourceOrder | ResumableOrder;

/**
 * SHA-256 that identifies equal uploads. It covers the file's own SHA-256, its URL, or the ID of its resumable upload, and its
 * name, the sorted categories, the method and the chosen options. Labels are not part of it.
 */
export async function fingerprintOf(order: UploadOrder | FilelessOrder): Promise<string> {
  const { categories, method, options } = order;
  const chosen = chooseOptions(options);
  const parts = [...identityOf(order), [...categories].sort(), method];
  return await sha256Hex(JSON.stringify(chosen === undefined ? parts : [...parts, chosen]));
}

/** What identifies an upload's file, and the file's name. */
function identityOf(order: UploadOrder | FilelessOrder): [string, string] {
  if ("source" in order) return [order.source.sentUrl, order.source.filename];
  if ("uploadId" in order) return [order.uploadId, order.filename ?? ""];
  const { sha256, filename } = order.file;
  if (sha256 === undefined) throw new Error("A file that came with its request has no hash.");
  return [sha256, filename];
}

/** The name for the response if the media item's name is gone. */
export function nameOf(order: FilelessOrder): string {
  return "source" in order ? order.source.filename : (order.filename ?? "file");
}
