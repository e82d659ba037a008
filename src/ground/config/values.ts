import { z } from "zod";

/** A whole number's unit and what is accepted. */
export interface NumberLimits {
  readonly unit: string;
  readonly least: number;
  readonly most: number;
}

/** The limits of each variable that is a number. `docs/operating.md` lists them. */
const LIMITS = z.registry<NumberLimits>();

const MOST_SHOWN_CHARACTERS = 20;

/**
 * A whole number in decimal digits, within its limits; required without a default. The error names the value found, because none of these is
 * a secret.
 */
export function wholeNumber({ byDefault, ...limits }: NumberLimits & { readonly byDefault: number }) {
  return numberWithin(limits).default(byDefault).register(LIMITS, limits);
}

/** A whole number as {@link wholeNumber}, that may be absent. */
export function optionalNumber(limits: NumberLimits) {
  return numberWithin(limits).optional().register(LIMITS, limits);
}

function numberWithin({ unit, least, most }: NumberLimits) {
  return z.union([z.string(), z.number()]).transform((value, context) => {
    const number = /^\d+$/.test(String(value).trim()) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    const found = JSON.stringify(String(value).slice(0, MOST_SHOWN_CHARACTERS));
    const message = `Found ${found}. Expected a whole number of ${unit} from ${least} to ${most}.`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

/** The limits of a variable, if it is a number. */
export function limitsOf(variable: z.ZodType): NumberLimits | undefined {
  return LIMITS.get(variable);
}

/** One of some words. The error names the value found. */
export function wordOf<const Word extends string>(words: readonly [Word, ...Word[]]) {
  return z.enum(words, {
    error: ({ input }) =>
      `Found ${shown(input)}. Expected ${words.slice(0, -1).join(", ")} or ${words.at(-1)}.`,
  });
}

/** `true` or `false`. The error names the value found. */
export const trueOrFalse = z.stringbool({
  error: ({ input }) => `Found ${shown(input)}. Expected true or false.`,
});

function shown(input: unknown): string {
  return JSON.stringify(String(input).slice(0, MOST_SHOWN_CHARACTERS));
}

/** An HTTP URL without slashes at its end. Undefined if it is absent or empty. */
export const optionalUrl = z
  .union([z.literal(""), z.url({ protocol: /^https?$/ })], {
    error: "Expected a URL that begins with http:// or https://.",
  })
  .transform((value) => (value === "" ? undefined : value.replace(/\/+$/, "")))
  .optional();

/** A text that no error repeats. Undefined if it is absent or empty. */
export const optionalSecret = z
  .string()
  .transform((value) => (value === "" ? undefined : value))
  .optional();

const AES_KEY_BYTES = 32;
const KEYS_EXPECTED = { error: "Expected keys of 32 bytes in base64, separated by spaces or commas." };

/** 32-byte keys in base64, separated by spaces or commas. */
export const aesKeys = z
  .string(KEYS_EXPECTED)
  .transform(partsOf)
  .refine((keys) => keys.length > 0 && keys.every(isAesKey), KEYS_EXPECTED);

/** Texts, separated by spaces or commas. */
export const textList = z.string().default("").transform(partsOf);

/** Email addresses in lower case, separated by spaces or commas. */
export const emailAddresses = z
  .string()
  .default("")
  .transform((value) => partsOf(value.toLowerCase()))
  .refine((addresses) => addresses.every((address) => z.email().safeParse(address).success), {
    error: "Expected email addresses, separated by spaces or commas.",
  });

function partsOf(value: string): string[] {
  return value.split(/[\s,]+/).filter((part) => part !== "");
}

function isAesKey(text: string): boolean {
  try {
    return atob(text.replaceAll("-", "+").replaceAll("_", "/")).length === AES_KEY_BYTES;
  } catch {
    return false;
  }
}
