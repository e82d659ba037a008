import {
  mediaStatusValues,
  redactionCategoryValues,
  redactionMethodValues,
  type components,
  type operations,
} from "./openapi.generated.ts";

type Schemas = components["schemas"];

export type Media = Schemas["Media"];
export type MediaCollection = Schemas["MediaCollection"];
export type MediaStatus = Schemas["MediaStatus"];
export type MediaType = Schemas["MediaType"];
export type RedactionCategory = Schemas["RedactionCategory"];
export type RedactionMethod = Schemas["RedactionMethod"];
/** How far a media item is, and why it failed if it did. */
export type StatusDetails = Schemas["StatusDetails"];
/** Why a media item has no redacted file: a word for programs and sentences for people. */
export type MediaFailure = NonNullable<StatusDetails["failure"]>;
export type Usage = Schemas["Usage"];
export type ErrorBody = Schemas["Error"];
export type ErrorCode = ErrorBody["error"]["code"];

export const MEDIA_STATUSES: readonly MediaStatus[] = mediaStatusValues;
export const REDACTION_CATEGORIES: readonly RedactionCategory[] = redactionCategoryValues;
export const REDACTION_METHODS: readonly RedactionMethod[] = redactionMethodValues;

/** What of the media a list shows, and which page of them. */
export type MediaQuery = NonNullable<operations["listMedia"]["parameters"]["query"]>;

export type MediaProcessedEvent = Schemas["MediaProcessedEvent"];
export type MediaFailedEvent = Schemas["MediaFailedEvent"];
export type MediaSourceDeletedEvent = Schemas["MediaSourceDeletedEvent"];

/** What a webhook carries, told apart by `event`. */
export type WebhookEvent = MediaProcessedEvent | MediaFailedEvent | MediaSourceDeletedEvent;
