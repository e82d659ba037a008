import { z } from "zod";
import { CATEGORIES, type Category } from "../detections/categories.ts";
import { SENSITIVITIES } from "../models/sensitivity.ts";
import type { Confidences, Question } from "../finders/finder.ts";
import { invalid, ServiceError } from "../platform/errors.ts";
import { splitMultipart, type Part } from "./multipart.ts";

function unknownCategories({ code }: { code?: string }): string | undefined {
  return code === "unrecognized_keys" ? `names must be of ${CATEGORIES.join(", ")}` : undefined;
}

const confidence = z.number().min(0).max(1);

const schema = z.strictObject({
  categories: z
    .array(z.enum(CATEGORIES, `each must be one of ${CATEGORIES.join(", ")}`))
    .min(1, "must name at least one category")
    .transform((names) => [...new Set(names)]),
  sensitivity: z.enum(SENSITIVITIES, `must be one of ${SENSITIVITIES.join(", ")}`).optional(),
  min_confidence: z
    .union(
      [confidence, z.partialRecord(z.enum(CATEGORIES), confidence, { error: unknownCategories })],
      "must be a number from 0 to 1, or an object of such numbers by category",
    )
    .optional(),
  candidates: z.boolean().optional(),
  single_look: z.boolean().optional(),
});

const MAX_REQUEST_PART_BYTES = 64 * 1024;

export interface FrameLimits {
  readonly maxFrames: number;
  readonly maxFrameBytes: number;
}

export interface ParsedRequest {
  readonly question: Question;
  readonly frames: Uint8Array[];
}

/**
 * Reads the parts of a detection request: `request` once and `frames` one or more times, in any order.
 * @throws ServiceError `validation_failed` that names each invalid field.
 */
export function parseRequest(body: Uint8Array, boundary: string, limits: FrameLimits): ParsedRequest {
  // One part too many still gets the error that counts frames.
  const parts = splitMultipart(body, boundary, limits.maxFrames + 2);
  const unknown = parts.find(({ name }) => name !== "request" && name !== "frames");
  if (unknown)
    throw invalid("body", `The parts "request" and "frames" are accepted; found: ${quote(unknown.name)}.`);
  const frames = parts.filter(({ name }) => name === "frames").map(({ data }) => data);
  const details = {
    ...requestFaults(parts.filter(({ name }) => name === "request")),
    ...frameFaults(frames, limits),
  };
  const sentences = Object.values(details).flat();
  if (sentences.length > 0) {
    throw new ServiceError({ code: "validation_failed", message: sentences.join(" "), details });
  }
  return { question: questionOf(parts), frames };
}

/** @throws ServiceError if no model serves a requested category. */
export function assertServed(asked: readonly Category[], served: readonly Category[]): void {
  const missing = asked.filter((category) => !served.includes(category));
  if (missing.length === 0) return;
  throw invalid(
    "categories",
    `No model loaded here serves ${missing.join(", ")}. These can be served: ${served.join(", ")}.`,
  );
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}

function parseJson(part: Part): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(part.data)));
  } catch {
    return undefined;
  }
}

function questionOf(parts: readonly Part[]): Question {
  const part = parts.find(({ name }) => name === "request");
  const asked = schema.parse(part && parseJson(part));
  return {
    categories: asked.categories,
    sensitivity: asked.sensitivity ?? "normal",
    minConfidence: confidencesOf(asked.min_confidence),
    withCandidates: asked.candidates ?? false,
    isSingleLook: asked.single_look ?? false,
  };
}

function confidencesOf(asked: number | Confidences | undefined): Confidences {
  return typeof asked === "number"
    ? Object.fromEntries(CATEGORIES.map((category) => [category, asked]))
    : (asked ?? {});
}

function requestFaults(parts: readonly Part[]): Record<string, string[]> {
  const [part] = parts;
  if (part === undefined || parts.length > 1) {
    return { request: [`The part "request" must be sent once, as JSON; found: ${parts.length}.`] };
  }
  if (part.data.byteLength > MAX_REQUEST_PART_BYTES) {
    const found = part.data.byteLength;
    return {
      request: [`The part "request" has ${found} bytes; at most ${MAX_REQUEST_PART_BYTES} are accepted.`],
    };
  }
  const value = parseJson(part);
  if (value === undefined)
    return { request: ['The part "request" must be JSON in UTF-8; it does not parse.'] };
  const result = schema.safeParse(value);
  if (result.success) return {};
  const faults: Record<string, string[]> = {};
  for (const issue of result.error.issues) {
    const field = String(issue.path[0] ?? "request");
    const place = issue.path.length === 0 ? "request" : issue.path.join(".");
    (faults[field] ??= []).push(`${place}: ${issue.message}; found: ${foundAt(value, issue.path)}.`);
  }
  return faults;
}

function foundAt(value: unknown, path: readonly PropertyKey[]): string {
  let current = value;
  for (const key of path) {
    current = typeof current === "object" && current !== null ? Reflect.get(current, key) : undefined;
  }
  return (JSON.stringify(current) ?? "nothing").slice(0, 100);
}

function frameFaults(frames: readonly Uint8Array[], limits: FrameLimits): Record<string, string[]> {
  if (frames.length === 0 || frames.length > limits.maxFrames) {
    return { frames: [`1 to ${limits.maxFrames} parts "frames" are accepted; found: ${frames.length}.`] };
  }
  const sentences = frames.flatMap(({ byteLength }, index) =>
    byteLength > limits.maxFrameBytes
      ? [`frames[${index}] has ${byteLength} bytes; at most ${limits.maxFrameBytes} are accepted.`]
      : [],
  );
  return sentences.length > 0 ? { frames: sentences } : {};
}
