import { z } from "@hono/zod-openapi";
import { AUDIO_MODES, type AudioMode, type RequestedRegion } from "../../records/masking/masking-options.ts";
import { describeMuteRanges, muteRangesSchema } from "../../records/masking/mute-range.schemas.ts";
import type { MuteRange } from "../../records/masking/media-sound.ts";
import { reasonCodeSchema, regionSchema } from "../../records/masking/region.schemas.ts";
import { describeRegions } from "../../records/masking/region-sentences.ts";
import { shownValue } from "../../records/media/media.schemas.ts";
import type { FieldErrors } from "../../ground/platform/errors.ts";
import { describeUnknownName } from "../../ground/platform/unknown-names.ts";
import { REDACTION_METHODS, type RedactionMethod } from "../../ground/vocabulary/media-values.ts";

/** More IDs than any media item has listed detections. */
const MAX_IDS = 10_000;
const MAX_ID_CHARACTERS = 100;

const idSchema = z.string().min(1).max(MAX_ID_CHARACTERS);
const idsSchema = z.array(idSchema).max(MAX_IDS);
const reasonsSchema = z
  .record(idSchema, z.union([reasonCodeSchema, z.null()]))
  .refine((reasons) => Object.keys(reasons).length <= MAX_IDS);

/** The body of a revision in the OpenAPI document. */
export const revisionSchema = z
  .strictObject({
    redact: z
      .union([idsSchema, z.enum(["all", "none"])])
      .default("all")
      .openapi({
        description:
          "Which detections to redact: a list of IDs; `all` for those that are redacted by default and the requested regions; or `none`.",
      }),
    except: idsSchema
      .default([])
      .openapi({ description: "IDs of detections to leave visible even if `redact` includes them." }),
    regions: z
      .array(regionSchema)
      .max(500)
      .default([])
      .openapi({ description: "Additional areas to redact." }),
    redaction_method: z
      .enum(REDACTION_METHODS)
      .optional()
      .openapi({ description: "Defaults to the value of the revised media item." }),
    audio: z.enum(AUDIO_MODES).optional().openapi({
      description:
        "Videos only; refused for images. Defaults to the value of the revised media item. `mute_speech` uses the speech that was found before, if any was looked for.",
    }),
    mute_ranges: muteRangesSchema.optional().openapi({
      description:
        "Videos only; refused for images. Takes the place of the ranges of the revised media item, which are the default.",
    }),
    reasons: reasonsSchema.default({}).openapi({
      description:
        "Why detections are hidden: a code of the account's list of reasons, or null for none, by the detection's ID. The others keep their reason, or get that of their category.",
      example: { det_0d2b5c3c9a10_1: "(b)(6)" },
    }),
    burn_in_reasons: z.boolean().optional().openapi({
      description:
        "Whether the code of its reason is printed on each mask that is large enough. Defaults to the value of the revised media item; uploads print none.",
    }),
  })
  .openapi("Revision");

const PROPERTIES = Object.keys(revisionSchema.shape);

/** The request for a revision of a media item. */
export interface RevisionOrder {
  readonly redact: readonly string[] | "all" | "none";
  readonly except: readonly string[];
  readonly regions: readonly RequestedRegion[];
  readonly method?: RedactionMethod | undefined;
  readonly audio?: AudioMode | undefined;
  readonly muteRanges?: readonly MuteRange[] | undefined;
  /** The codes of detections by ID; null for none. */
  readonly reasons?: Readonly<Record<string, string | null>> | undefined;
  readonly burnsInReasons?: boolean | undefined;
}

/** Parses a body into an order, or returns error sentences by field. */
export function checkRevision(
  body: unknown,
): { readonly value: RevisionOrder } | { readonly faults: FieldErrors } {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return { faults: { body: [`The body is ${shownValue(body)}; expected a JSON object.`] } };
  const faults = new Map<string, string[]>();
  for (const name of Object.keys(body)) {
    if (PROPERTIES.includes(name)) continue;
    const { field, sentence } = describeUnknownName("property", name, PROPERTIES);
    faults.set(field, [sentence]);
  }
  const read = <T>(name: string, schema: z.ZodType<T>, accepted: string): T | undefined => {
    const value: unknown = Reflect.get(body, name);
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    faults.set(name, [`\`${name}\` is ${shownValue(value)}; expected ${accepted}.`]);
    return undefined;
  };
  const { shape } = revisionSchema;
  const ids = `a list of up to ${MAX_IDS} ids of detections`;
  const redact = read("redact", shape.redact, `"all", "none" or ${ids}`);
  const except = read("except", shape.except, ids);
  const method = read("redaction_method", shape.redaction_method, `one of ${REDACTION_METHODS.join(", ")}`);
  const audio = read("audio", shape.audio, `one of ${AUDIO_MODES.join(", ")}`);
  const reasons = read("reasons", shape.reasons, "an object of detection IDs with codes of reasons, or null");
  const burnsInReasons = read("burn_in_reasons", shape.burn_in_reasons, "true or false");
  const regions = describeRegions("regions", "regions" in body ? body.regions : []);
  if ("faults" in regions) faults.set("regions", regions.faults);
  const ranges = readMuteRanges(Reflect.get(body, "mute_ranges"));
  if ("faults" in ranges) faults.set("mute_ranges", ranges.faults);
  if (
    faults.size > 0 ||
    redact === undefined ||
    except === undefined ||
    "faults" in regions ||
    "faults" in ranges
  )
    return { faults: Object.fromEntries(faults) };
  return {
    value: {
      redact,
      except,
      regions: regions.value,
      method,
      audio,
      muteRanges: ranges.value,
      reasons,
      burnsInReasons,
    },
  };
}

function readMuteRanges(
  value: unknown,
): { readonly value: MuteRange[] | undefined } | { readonly faults: string[] } {
  return value === undefined ? { value } : describeMuteRanges("mute_ranges", value);
}
