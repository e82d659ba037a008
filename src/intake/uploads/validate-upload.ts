import { detectorSettings } from "../../work/detection/detector-settings.ts";
import { unservedCategories, audioFaults } from "../../work/detection/served-categories.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { validationFailed, type FieldErrors } from "../../ground/platform/errors.ts";
import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";
import { mediaTypeOf } from "../../ground/vocabulary/media-values.ts";
import type { ReceivedForm } from "./upload-form.ts";
import { checkSource } from "./source-url.ts";
import { checkLabels } from "./upload-labels.schemas.ts";
import { checkOptions } from "./upload-options.schemas.ts";
import { checkCategories, checkMethod } from "./upload.schemas.ts";
import { checkUploadId } from "./body/upload-id.ts";
import type { FilelessOrder, UploadOrder } from "./upload-order.ts";
import type { ReceivedFile } from "./files/file-reader.ts";

/**
 * Validates an upload's form and returns its order, which holds the file or says where it is.
 *
 * @throws VeilError 422 with all errors of the request
 */
export async function validateUpload(
  form: ReceivedForm,
  { keyFaults, queryFaults }: { keyFaults: readonly string[]; queryFaults: FieldErrors },
  config: ApiEnv,
): Promise<UploadOrder | FilelessOrder> {
  const faults = new Map(form.faults);
  const addFaults = (field: string, sentences: readonly string[]): void => {
    faults.set(field, [...(faults.get(field) ?? []), ...sentences]);
  };
  const categories = checkCategories(form.fields);
  const method = checkMethod(form.fields);
  if ("faults" in categories) {
    const wereSent = form.fields.has("categories") || form.fields.has("categories[]");
    if ((form.isComplete || wereSent) && !faults.has("categories"))
      addFaults("categories", categories.faults);
  } else {
    const unserved = await unservedSentence(config, categories.value);
    if (unserved !== undefined) addFaults("categories", [unserved]);
  }
  if ("faults" in method && !faults.has("redaction_method")) addFaults("redaction_method", method.faults);
  const options = checkOptions(form.fields, {
    mediaType: form.file && mediaTypeOf(form.file.format),
    categories: "value" in categories ? categories.value : undefined,
  });
  if ("faults" in options) for (const [field, sentences] of options.faults) addFaults(field, sentences);
  const labels = checkLabels(form.fields);
  if ("faults" in labels) {
    for (const [field, sentences] of labels.faults) if (!faults.has(field)) addFaults(field, sentences);
  }
  const source = checkSource(form.fields, { isLocal: config.LOCAL_DEVELOPMENT });
  if ("faults" in source) {
    for (const [field, sentences] of source.faults) if (!faults.has(field)) addFaults(field, sentences);
  }
  const resumable = checkUploadId(form.fields);
  if ("faults" in resumable) {
    for (const [field, sentences] of resumable.faults) if (!faults.has(field)) addFaults(field, sentences);
  }
  for (const [field, sentences] of unofferedOptions(form, config)) addFaults(field, sentences);
  if (keyFaults.length > 0) addFaults("idempotency_key", keyFaults);
  for (const [field, sentences] of Object.entries(queryFaults)) addFaults(field, sentences);
  if (
    faults.size > 0 ||
    "faults" in source ||
    "faults" in resumable ||
    "faults" in categories ||
    "faults" in method ||
    "faults" in options ||
    "faults" in labels
  ) {
    throw validationFailed(Object.fromEntries(faults));
  }
  const terms = {
    categories: categories.value,
    method: method.value,
    options: options.value,
    labels: labels.value,
  };
  if (source.value !== undefined) return { ...terms, source: source.value };
  if (resumable.value !== undefined) return { ...terms, ...resumable.value };
  if (form.file === undefined) throw new Error("A form without faults has neither a file nor a source.");
  return { ...terms, file: form.file };
}

/** Adds the obtained file to an order. @throws VeilError 422 if its options do not fit files of its type */
export function orderWithFile<Order extends FilelessOrder>(
  order: Order,
  file: ReceivedFile,
  { fields }: ReceivedForm,
): Order & { readonly file: ReceivedFile } {
  const options = checkOptions(fields, {
    mediaType: mediaTypeOf(file.format),
    categories: order.categories,
  });
  if ("faults" in options) throw validationFailed(Object.fromEntries(options.faults));
  return { ...order, file };
}

/** Errors for known options that this deployment does not support. A privacy setting must never be ignored silently. */
function unofferedOptions({ fields }: ReceivedForm, config: ApiEnv): [string, string[]][] {
  const faults: [string, string[]][] = [];
  if (config.DETECTOR !== "inference" && fields.has("sensitivity")) {
    const sentence = "`sensitivity` is not supported by the installed detector; use `min_confidence`.";
    faults.push(["sensitivity", [sentence]]);
  }
  const [audio] = fields.get("audio") ?? [];
  const unheard = audioFaults(config, audio);
  if (unheard.length > 0) faults.push(["audio", unheard]);
  return faults;
}

async function unservedSentence(
  config: ApiEnv,
  asked: readonly RedactionCategory[],
): Promise<string | undefined> {
  const { unserved, served } = await unservedCategories(detectorSettings(config), asked);
  if (unserved.length === 0) return undefined;
  return `The installed models cannot find ${unserved.join(", ")}; they can find ${served.join(", ")}.`;
}
