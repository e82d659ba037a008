import { chooseOptions, type MaskingOptions } from "../masking/masking-options.ts";
import { sha256Hex, toHex } from "../platform/ids.ts";
import type { RedactionCategory, RedactionMethod } from "../vocabulary/media-values.ts";
import type { ReceivedFile } from "./file-reader.ts";
import type { Source } from "./source-url.ts";
import type { UploadLabels } from "./upload-labels.schemas.ts";

/** The options of an upload, whichever way its file comes. */
interface UploadTerms {
  readonly categories: RedactionCategory[];
  readonly method: RedactionMethod;
  readonly options: MaskingOptions;
  readonly labels: UploadLabels;
}

/** A valid upload: its file and what to do with it. */
export interface UploadOrder extends UploadTerms {
  readonly file: ReceivedFile;
}

/** A valid upload by URL, whose file may still have to be fetched. */
export interface SourceOrder extends UploadTerms {
  readonly source: Source;
}

/** A valid upload of a file that has come in parts. */
export interface ResumableOrder extends UploadTerms {
  readonly uploadId: string;
  /** Undefined where the name that was given with the first part holds. */
  readonly filename: string | undefined;
}

/** A valid upload whose file is not in its request. */
export type FilelessOrder = SourceOrder | ResumableOrder;

/**
 * SHA-256 over the file's own SHA-256, or the URL that it is fetched from, or the id of its resumable upload, its name, the sorted
 * categories, the method and the options that were chosen: what makes uploads the same. Labels are no part of it.
 */
export async function fingerprintOf(order: UploadOrder | FilelessOrder): Promise<string> {
  const { categories, method, options } = order;
  const chosen = chooseOptions(options);
  const parts = [...identityOf(order), [...categories].sort(), method];
  return await sha256Hex(JSON.stringify(chosen === undefined ? parts : [...parts, chosen]));
}

/** Identifies an upload's file, and gives its name. */
function identityOf(order: UploadOrder | FilelessOrder): [string, string] {
  if ("source" in order) return [order.source.sentUrl, order.source.filename];
  if ("uploadId" in order) return [order.uploadId, order.filename ?? ""];
  const { sha256, filename } = order.file;
  if (sha256 === undefined) throw new Error("A file that came with its request has no hash.");
  return [toHex(new Uint8Array(sha256)), filename];
}

/** The name to answer with where that of the media is gone. */
export function nameOf(order: FilelessOrder): string {
  return "source" in order ? order.source.filename : (order.filename ?? "file");
}
