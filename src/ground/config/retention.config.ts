import { wholeNumber } from "./values.ts";

/** The longest retention, also for accounts: ten years. */
export const MAX_SOURCE_RETENTION_HOURS = 87_600;
export const MAX_OUTPUT_RETENTION_DAYS = 3_650;

/** How long files are kept after processing has ended, unless the account has its own values. */
export const retentionVariables = {
  SOURCE_RETENTION_HOURS: wholeNumber({
    unit: "hours",
    least: 0,
    most: MAX_SOURCE_RETENTION_HOURS,
    byDefault: 24,
  }),
  OUTPUT_RETENTION_DAYS: wholeNumber({
    unit: "days",
    least: 0,
    most: MAX_OUTPUT_RETENTION_DAYS,
    byDefault: 30,
  }),
};
