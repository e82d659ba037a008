import type { FormFields } from "./form-fields.ts";
import { filenameFault } from "./filename-fault.ts";

/** Format of the IDs of resumable uploads. */
export const UPLOAD_ID = /^upl_[\w-]{43}$/;

/** The resumable upload that a form names, as far as the ID alone can be checked, or error sentences by field. */
export function checkUploadId(
  fields: FormFields,
):
  | { readonly value: { readonly uploadId: string; readonly filename: string | undefined } | undefined }
  | { readonly faults: ReadonlyMap<string, readonly string[]> } {
  const [uploadId] = fields.get("upload_id") ?? [];
  if (uploadId === undefined) return { value: undefined };
  const faults = new Map<string, string[]>();
  if (fields.has("source_url"))
    faults.set("upload_id", ["`upload_id` and `source_url` are both sent; send one of them."]);
  // The ID is not shown, because it is a secret.
  else if (!UPLOAD_ID.test(uploadId))
    faults.set("upload_id", ["`upload_id` is not a valid upload ID; expected one from `POST /uploads`."]);
  const [filename] = fields.get("filename") ?? [];
  const nameFault = filename === undefined ? undefined : filenameFault(filename);
  if (nameFault !== undefined) faults.set("filename", [nameFault]);
  return faults.size > 0 ? { faults } : { value: { uploadId, filename } };
}
