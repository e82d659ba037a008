import { optionalSecret, optionalUrl, textList, trueOrFalse, wholeNumber } from "./values.ts";

/** Where the API is reached, by whom, and where its requests are counted. The rates are in `ground/vocabulary/plans.ts`. */
export const apiAccessVariables = {
  LOCAL_DEVELOPMENT: trueOrFalse.default(false),
  PUBLIC_URL: optionalUrl,
  CORS_ORIGINS: textList,
  UPSTASH_REDIS_REST_URL: optionalUrl,
  UPSTASH_REDIS_REST_TOKEN: optionalSecret,
  RATE_LIMIT_TIMEOUT_MS: wholeNumber({ unit: "milliseconds", least: 1, most: 30_000, byDefault: 1000 }),
};
