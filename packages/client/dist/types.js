import { mediaStatusValues, redactionCategoryValues, redactionMethodValues, } from "./openapi.generated.js";
export const MEDIA_STATUSES = mediaStatusValues;
export const REDACTION_CATEGORIES = redactionCategoryValues;
export const REDACTION_METHODS = redactionMethodValues;
