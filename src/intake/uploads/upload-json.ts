import type { FormFields } from "./body/form-fields.ts";
import { shownValue } from "../../records/media/media.schemas.ts";
import { describeUnknownName } from "../../ground/platform/unknown-names.ts";
import { addFault, type FormFaults } from "./files/file-reader.ts";
import type { ReceivedForm } from "./upload-form.ts";

/** How each property's value is converted into the text of the form field with that name. */
const PROPERTIES: ReadonlyMap<string, "word" | "boolean" | "json"> = new Map([
  ["source_url", "word"],
  ["upload_id", "word"],
  ["filename", "word"],
  ["categories", "json"],
  ["redaction_method", "word"],
  ["sensitivity", "word"],
  ["min_confidence", "json"],
  ["regions", "json"],
  ["ignore_regions", "json"],
  ["detect_only", "boolean"],
  ["audio", "word"],
  ["mute_ranges", "json"],
  ["verify", "boolean"],
  ["folder", "word"],
  ["metadata", "json"],
]);

/** Converts the JSON body of an upload without a file into the same form fields, so that they are checked in the same way. */
export function formOfJson(value: unknown): ReceivedForm {
  const fields = new Map<string, string[]>();
  const faults: FormFaults = new Map();
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    addFault(faults, "body", `The body is ${shownValue(value)}; expected a JSON object.`);
    return { fields, file: undefined, faults, isComplete: false };
  }
  for (const [name, given] of Object.entries(value) as [string, unknown][]) readProperty(name, given);
  if (!["source_url", "upload_id"].some((field) => fields.has(field) || faults.has(field)))
    addFault(
      faults,
      "source_url",
      "`source_url` is missing; expected an https URL of the file, or the `upload_id` of a finished upload.",
    );
  return { fields: fields satisfies FormFields, file: undefined, faults, isComplete: true };

  function readProperty(name: string, given: unknown): void {
    const kind = PROPERTIES.get(name);
    if (name === "file") {
      const how = "send the file as a part of a form (multipart/form-data), or its URL as `source_url`";
      addFault(faults, name, `\`file\` cannot be sent as JSON; ${how}.`);
    } else if (kind === undefined) {
      const { field, sentence } = describeUnknownName("property", name, [...PROPERTIES.keys()]);
      addFault(faults, field, sentence);
    } else if (kind === "json") {
      const isListed = name === "categories" && !Array.isArray(given);
      if (isListed)
        addFault(faults, name, `\`${name}\` is ${shownValue(given)}; expected a list of categories.`);
      else fields.set(name, [JSON.stringify(given)]);
    } else if (typeof given === (kind === "word" ? "string" : "boolean")) {
      fields.set(name, [String(given)]);
    } else {
      const expected = kind === "word" ? "text" : "true or false";
      // These values are not shown: a URL may contain secrets, and an upload ID is one.
      const isSecret = name === "source_url" || name === "upload_id";
      const shown = isSecret ? "no text" : shownValue(given);
      addFault(faults, name, `\`${name}\` is ${shown}; expected ${expected}.`);
    }
  }
}
