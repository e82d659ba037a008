import { z } from "@hono/zod-openapi";
import { shownValue } from "../../records/media/media.schemas.ts";
import { parseJson } from "../../ground/platform/json-text.ts";
import { REDACTION_CATEGORIES, type RedactionCategory } from "../../ground/vocabulary/categories.ts";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";
import {
  AUDIO_MODES,
  DEFAULT_OPTIONS,
  SENSITIVITIES,
  type MaskingOptions,
  type MinConfidence,
} from "../../records/masking/masking-options.ts";
import { describeMuteRanges, muteRangesSchema } from "../../records/masking/mute-range.schemas.ts";
import { regionSchema } from "../../records/masking/region.schemas.ts";
import { describeRegions, reasonFaultsOf, timeFaultsOf } from "../../records/masking/region-sentences.ts";
import type { FormFields } from "./body/form-fields.ts";

/** Text fields of an upload beyond the contract, with the maximum bytes of each. */
export const OPTION_FIELDS: ReadonlyMap<string, number> = new Map([
  ["sensitivity", 1024],
  ["min_confidence", 8 * 1024],
  ["regions", 2 * 1024 * 1024],
  ["ignore_regions", 2 * 1024 * 1024],
  ["detect_only", 1024],
  ["audio", 1024],
  ["mute_ranges", 256 * 1024],
  ["verify", 1024],
]);

const confidence = z.number().min(0).max(1);
const minConfidenceSchema = z.union([confidence, z.partialRecord(z.enum(REDACTION_CATEGORIES), confidence)]);

const VERIFY_SENTENCE =
  "whether the redacted file is read again before the media completes (`GET /media/{mediaId}/verification`). The default is the account's setting, or else `true` for photos and `false` for videos.";

/** The options of a form in the OpenAPI document. */
export const optionFieldSchemas = {
  sensitivity: z.enum(SENSITIVITIES).default("normal").openapi({
    description: "Extension: `low` for fewer false masks, `high` for fewer misses.",
  }),
  min_confidence: z.string().optional().openapi({
    description:
      "Extension: exact thresholds in place of `sensitivity`. Detections with at least this confidence are redacted: a number from 0 to 1, or a JSON object of such numbers by category. Every category must be one of `categories[]`.",
    example: '{"heads": 0.3}',
  }),
  regions: z.string().optional().openapi({
    description: "Extension: a JSON array of up to 500 `Region`s, which are always redacted.",
    example: '[{"box": {"x": 0.1, "y": 0.2, "width": 0.3, "height": 0.1}}]',
  }),
  ignore_regions: z.string().optional().openapi({
    description:
      "Extension: a JSON array of up to 500 `Region`s. A detection with at least 90% of its area inside one of them is left uncovered.",
  }),
  detect_only: z.enum(["true", "false"]).default("false").openapi({
    description:
      "Extension: `true` stores the detections but writes no redacted file: the media completes without `download_url`.",
  }),
  audio: z.enum(AUDIO_MODES).default("keep").openapi({
    description:
      "Extension: `mute` removes all audio tracks of a video. `mute_speech` silences every part in which somebody speaks. Refused for images.",
  }),
  mute_ranges: z.string().optional().openapi({
    description:
      "Extension: a JSON array of up to 500 `MuteRange`s of a video, which are always silenced or covered by a tone. Refused for images.",
    example: '[{"start_seconds": 12.5, "end_seconds": 14, "sound": "tone"}]',
  }),
  verify: z
    .enum(["true", "false"])
    .optional()
    .openapi({
      description: `Extension: ${VERIFY_SENTENCE}`,
    }),
};

/** The options of a JSON body in the OpenAPI document. */
export const jsonOptionSchemas = {
  sensitivity: optionFieldSchemas.sensitivity,
  min_confidence: minConfidenceSchema.optional().openapi({
    description:
      "Exact thresholds in place of `sensitivity`: a number from 0 to 1, or such numbers by category. Every category must be one of `categories`.",
    example: { heads: 0.3 },
  }),
  regions: z.array(regionSchema).max(500).default([]).openapi({ description: "Always redacted." }),
  ignore_regions: z.array(regionSchema).max(500).default([]).openapi({
    description: "A detection with at least 90% of its area inside one of them is left uncovered.",
  }),
  detect_only: z.boolean().default(false).openapi({
    description:
      "`true` stores the detections but writes no redacted file: the media completes without `download_url`.",
  }),
  audio: optionFieldSchemas.audio,
  mute_ranges: muteRangesSchema.default([]).openapi({ description: "Always silenced or covered by a tone." }),
  verify: z
    .boolean()
    .optional()
    .openapi({ description: `W${VERIFY_SENTENCE.slice(1)}` }),
};

type Faults = Map<string, string[]>;

/**
 * The options of an upload beyond the contract, or error sentences by field. The upload's type and categories are undefined if
 * unknown.
 */
export function checkOptions(
  fields: FormFields,
  {
    mediaType,
    categories,
  }: {
    readonly mediaType: MediaType | undefined;
    readonly categories: readonly RedactionCategory[] | undefined;
  },
): { readonly value: MaskingOptions } | { readonly faults: Faults } {
  const faults: Faults = new Map();
  const form = new OptionReader(fields, faults);
  const sensitivity = form.word("sensitivity", SENSITIVITIES);
  const minConfidence = form.minConfidence(categories);
  const regions = form.regions("regions", mediaType);
  const ignoreRegions = form.regions("ignore_regions", mediaType);
  const detectOnly = form.word("detect_only", ["true", "false"]);
  const audio = form.word("audio", AUDIO_MODES);
  const muteRanges = form.muteRanges();
  const verify = form.word("verify", ["true", "false"]);
  if (fields.has("sensitivity") && fields.has("min_confidence"))
    form.addFault(
      "min_confidence",
      "`min_confidence` and `sensitivity` are both sent; send only one of them.",
    );
  if (audio !== undefined && mediaType === "image")
    form.addFault("audio", "`audio` is sent with an image; it is for videos only.");
  if (fields.has("mute_ranges") && mediaType === "image")
    form.addFault("mute_ranges", "`mute_ranges` is sent with an image; it is for videos only.");
  if (faults.size > 0) return { faults };
  return {
    value: {
      sensitivity: sensitivity ?? DEFAULT_OPTIONS.sensitivity,
      minConfidence,
      regions,
      ignoreRegions,
      isDetectOnly: detectOnly === "true",
      audio: audio ?? DEFAULT_OPTIONS.audio,
      muteRanges,
      isVerified: verify === undefined ? undefined : verify === "true",
    },
  };
}

class OptionReader {
  readonly #fields: FormFields;
  readonly #faults: Faults;

  constructor(fields: FormFields, faults: Faults) {
    this.#fields = fields;
    this.#faults = faults;
  }

  addFault(field: string, ...sentences: readonly string[]): void {
    this.#faults.set(field, [...(this.#faults.get(field) ?? []), ...sentences]);
  }

  /** Reads a field with a fixed set of words; undefined if it is not sent. */
  word<Word extends string>(field: string, words: readonly Word[]): Word | undefined {
    const text = this.#text(field);
    if (text === undefined) return undefined;
    const word = words.find((one) => one === text);
    if (word === undefined)
      this.addFault(field, `\`${field}\` is ${shownValue(text)}; expected one of ${words.join(", ")}.`);
    return word;
  }

  minConfidence(asked: readonly RedactionCategory[] | undefined): MinConfidence | undefined {
    const value = this.#json("min_confidence");
    if (value === undefined) return undefined;
    const isByCategory = typeof value === "object" && value !== null && !Array.isArray(value);
    const sentences = isByCategory
      ? Object.entries(value).flatMap(([category, one]) => confidenceFaults(category, one, asked))
      : [];
    const result = minConfidenceSchema.safeParse(value);
    if (!result.success && sentences.length === 0)
      sentences.push(
        `\`min_confidence\` is ${shownValue(value)}; expected a number from 0 to 1, or a JSON object of such numbers by category.`,
      );
    if (sentences.length > 0) this.addFault("min_confidence", ...sentences);
    if (!result.success) return undefined;
    return typeof result.data === "number" ? result.data : sortKeys(result.data);
  }

  regions(field: "regions" | "ignore_regions", mediaType: MediaType | undefined): MaskingOptions["regions"] {
    const value = this.#json(field);
    if (value === undefined) return [];
    const checked = describeRegions(field, value);
    const faults =
      "faults" in checked
        ? checked.faults
        : [
            ...(mediaType === "image" ? timeFaultsOf(field, checked.value) : []),
            ...(field === "ignore_regions" ? reasonFaultsOf(field, checked.value) : []),
          ];
    if (faults.length > 0) this.addFault(field, ...faults);
    return "faults" in checked ? [] : checked.value;
  }

  muteRanges(): MaskingOptions["muteRanges"] {
    const value = this.#json("mute_ranges");
    if (value === undefined) return [];
    const checked = describeMuteRanges("mute_ranges", value);
    if ("value" in checked) return checked.value;
    this.addFault("mute_ranges", ...checked.faults);
    return [];
  }

  #json(field: string): unknown {
    const text = this.#text(field);
    if (text === undefined) return undefined;
    const parsed = parseJson(text);
    if (parsed === undefined) this.addFault(field, `\`${field}\` is ${shownValue(text)}; expected JSON.`);
    else if ("value" in parsed) return parsed.value;
    else this.addFault(field, parsed.fault.sentence(field));
    return undefined;
  }

  #text(field: string): string | undefined {
    const texts = this.#fields.get(field) ?? [];
    if (texts.length > 1) this.addFault(field, `\`${field}\` is sent ${texts.length} times; send it once.`);
    return texts.length === 1 ? texts[0] : undefined;
  }
}

/** The errors of one category's entry in `min_confidence`, as sentences; none if it is valid. */
function confidenceFaults(
  category: string,
  value: unknown,
  asked: readonly RedactionCategory[] | undefined,
): string[] {
  const isKnown = REDACTION_CATEGORIES.some((known) => known === category);
  if (!isKnown)
    return [
      `\`min_confidence\` has the unknown category ${shownValue(category)}; expected one of ${REDACTION_CATEGORIES.join(", ")}.`,
    ];
  const faults: string[] = [];
  if (!confidence.safeParse(value).success)
    faults.push(`\`min_confidence.${category}\` is ${shownValue(value)}; expected a number from 0 to 1.`);
  if (asked?.some((one) => one === category) === false)
    faults.push(
      `\`min_confidence\` has a threshold for ${category}, which \`categories\` does not name; expected thresholds for ${asked.join(", ")} only.`,
    );
  return faults;
}

/** Sorts the keys, so that their order in the request does not make a different upload. */
function sortKeys<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => a.localeCompare(b)));
}
