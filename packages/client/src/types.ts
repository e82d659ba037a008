import {
  mediaStatusValues,
  redactionCategoryValues,
  redactionMethodValues,
  type components,
  type operations,
} from "./openapi.generated.ts";

type Schemas = components["schemas"];

export type Media = Schemas["Media"];
/** A media item with what `include` adds. */
export type MediaWithIncluded = Schemas["MediaWithIncluded"];
/** The options of an upload, as `include: ["request"]` returns them. */
export type IncludedRequest = Schemas["IncludedRequest"];
export type MediaCollection = Schemas["MediaCollection"];
/** What a response can add to its media items. */
export type Includable = "versions" | "failure" | "metadata" | "request";
export type MediaStatus = Schemas["MediaStatus"];
export type MediaType = Schemas["MediaType"];
export type RedactionCategory = Schemas["RedactionCategory"];
export type RedactionMethod = Schemas["RedactionMethod"];
/** The progress of a media item, and the reason if it failed. */
export type StatusDetails = Schemas["StatusDetails"];
/** The detections of a media item. */
export type Detections = Schemas["Detections"];
export type Detection = Schemas["Detection"];
/** What a second reading of a redacted file found. */
export type Verification = Schemas["Verification"];
export type VerificationFinding = Schemas["VerificationFinding"];
/** An area of the picture as a viewer sees it, in fractions from its left and top. */
export type Region = Schemas["Region"];
/** A part of a video's audio to mute, in seconds from the first frame shown. */
export type MuteRange = Schemas["MuteRange"];
/** Which detections and which additional areas a revision redacts. Everything has defaults. */
export type Revision = NonNullable<operations["reviseMedia"]["requestBody"]>["content"]["application/json"];
/** Fewer false masks, or fewer misses. */
export type Sensitivity = NonNullable<Schemas["Upload"]["sensitivity"]>;
/** Why a media item has no redacted file: a code for programs and a message for people. */
export type MediaFailure = NonNullable<StatusDetails["failure"]>;
/** A resumable upload that has just begun. */
export type ResumableUpload = Schemas["ResumableUpload"];
/** The record of what was done to a file. */
export type Report = Schemas["Report"];
export type Usage = Schemas["Usage"];
export type ErrorBody = Schemas["Error"];
export type ErrorCode = ErrorBody["error"]["code"];

export const MEDIA_STATUSES: readonly MediaStatus[] = mediaStatusValues;
export const REDACTION_CATEGORIES: readonly RedactionCategory[] = redactionCategoryValues;
export const REDACTION_METHODS: readonly RedactionMethod[] = redactionMethodValues;

type ListQuery = NonNullable<operations["listMedia"]["parameters"]["query"]>;
/** Filters of a media list, and which page to return. */
export type MediaQuery = Omit<ListQuery, "current" | "include"> & {
  current?: ListQuery["current"] | boolean;
  include?: ListQuery["include"] | readonly Includable[];
};

/** What was deleted, when and by whom, and what remains of it. */
export type Deletions = Schemas["Deletions"];
/** Filters of the deletions, and which page to return. */
export type DeletionsQuery = NonNullable<operations["listDeletions"]["parameters"]["query"]>;

export type MediaProcessedEvent = Schemas["MediaProcessedEvent"];
export type MediaFailedEvent = Schemas["MediaFailedEvent"];
export type MediaSourceDeletedEvent = Schemas["MediaSourceDeletedEvent"];

/** The body of a webhook. `event` is its kind. */
export type WebhookEvent = MediaProcessedEvent | MediaFailedEvent | MediaSourceDeletedEvent;
