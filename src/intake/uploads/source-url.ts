import { shownValue } from "../../records/media/media.schemas.ts";
import { checkPublicUrl, type PublicUrl } from "../../ground/public-hosts/public-url.ts";
import { filenameFault } from "./body/filename-fault.ts";
import type { FormFields } from "./body/form-fields.ts";

/** Enough for signed URLs of object stores, whose tokens have several thousand characters. */
export const MAX_SOURCE_URL_CHARACTERS = 8192;
/** The name of a file whose URL contains none. */
const UNNAMED = "file";

/** Text fields of an upload without a file in its request, with the maximum bytes of each. */
export const SOURCE_FIELDS: ReadonlyMap<string, number> = new Map([
  ["source_url", 64 * 1024],
  ["filename", 4 * 1024],
  ["upload_id", 1024],
]);

/** A file that the service fetches itself. */
export interface Source extends PublicUrl {
  /** The URL as it was sent. It may contain secrets, so it is neither logged nor stored. */
  readonly sentUrl: string;
  readonly filename: string;
}

/** The source that a form names, as far as the URL alone can be checked, or error sentences by field. */
export function checkSource(
  fields: FormFields,
  { isLocal }: { isLocal: boolean },
): { readonly value: Source | undefined } | { readonly faults: ReadonlyMap<string, readonly string[]> } {
  const faults = new Map<string, string[]>();
  for (const field of SOURCE_FIELDS.keys()) {
    const count = fields.get(field)?.length ?? 0;
    if (count > 1) faults.set(field, [`\`${field}\` is sent ${count} times; send it once.`]);
  }
  const [sentUrl] = fields.get("source_url") ?? [];
  const [sentName] = fields.get("filename") ?? [];
  if (sentUrl === undefined) {
    if (sentName !== undefined && !fields.has("upload_id") && !faults.has("filename"))
      faults.set("filename", [
        "`filename` is sent without `source_url` or `upload_id`; a `file` is named by its part.",
      ]);
    return faults.size > 0 ? { faults } : { value: undefined };
  }
  const checked = checkPublicUrl(sentUrl.trim(), { isLocal, maxCharacters: MAX_SOURCE_URL_CHARACTERS });
  if ("refusal" in checked && !faults.has("source_url")) faults.set("source_url", [checked.refusal]);
  const nameFault = sentName === undefined ? undefined : faultOfName(sentName);
  if (nameFault !== undefined && !faults.has("filename")) faults.set("filename", [nameFault]);
  if ("refusal" in checked || faults.size > 0) return { faults };
  return { value: { ...checked, sentUrl, filename: sentName ?? nameInUrl(checked.url) } };
}

function faultOfName(name: string): string | undefined {
  return name === "" ? `\`filename\` is ${shownValue(name)}; expected a plain name.` : filenameFault(name);
}

/** The last part of a URL's path if it is a valid file name. */
function nameInUrl(url: string): string {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    const name = decodeURIComponent(last);
    return filenameFault(name) === undefined ? name : UNNAMED;
  } catch {
    return UNNAMED;
  }
}
