import { describe, expect, test } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { REDACTION_CATEGORIES } from "../../src/ground/vocabulary/categories.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, callWith, errorOf } from "../support/api.ts";
import {
  DOWN_DETECTOR_URL,
  SMALL_DETECTOR_CATEGORIES,
  SMALL_DETECTOR_URL,
} from "../support/detector-double.ts";
import { png } from "../support/images.ts";
import { expectNothingLeft } from "../support/leftovers.ts";
import { upload, uploadForm } from "../support/uploads.ts";

type Details = Record<string, string[]>;

/** A form with these text parts and a valid file. */
async function formOf(...parts: [string, string][]): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  form.append("file", new File([await png({ width: 8, height: 8 })], "a.png"));
  return form;
}

async function send(account: TestAccount, body: BodyInit | null, headers: HeadersInit = {}) {
  return await call("/media/redact", { method: "POST", apiKey: account.apiKey, body, headers });
}

/** Expects a 422 that leaves nothing behind; returns its details. */
async function refused(account: TestAccount, response: Response): Promise<Details> {
  expect(response.status).toBe(422);
  const { code, details } = await errorOf(response);
  expect(code).toBe("validation_failed");
  for (const [name, sentences] of Object.entries(details as Details)) {
    expect(name).toMatch(/^[a-z_]+$/);
    for (const sentence of sentences) expect(sentence).toMatch(/^[`A-Z].*\.$/s);
  }
  await expectNothingLeft(account.accountId);
  return details as Details;
}

describe("categories are accepted", () => {
  test.for<{ parts: [string, string][]; expected: string[] }>([
    { parts: [["categories[]", "heads"]], expected: ["heads"] },
    {
      parts: REDACTION_CATEGORIES.toReversed().map((category) => ["categories[]", category]),
      expected: REDACTION_CATEGORIES.toReversed(),
    },
    {
      parts: [
        ["categories[]", "tattoos"],
        ["categories[]", "heads"],
        ["categories[]", "tattoos"],
      ],
      expected: ["tattoos", "heads"],
    },
    {
      parts: [
        ["categories", "screens"],
        ["categories", "heads"],
      ],
      expected: ["screens", "heads"],
    },
    { parts: [["categories", '["writing", "heads", "writing"]']], expected: ["writing", "heads"] },
    { parts: [["categories[]", ' ["documents"]']], expected: ["documents"] },
  ])("$parts", async ({ parts, expected }) => {
    const response = await send(await createAccount(), await formOf(...parts));
    expect(response.status).toBe(201);
    expect((await bodyOf(response, mediaSchema)).categories).toEqual(expected);
  });
});

describe("categories are refused", () => {
  test.for<{ parts: [string, string][]; faults: number }>([
    { parts: [], faults: 1 },
    { parts: [["categories", "[]"]], faults: 1 },
    { parts: [["categories[]", ""]], faults: 1 },
    { parts: [["categories[]", "faces"]], faults: 1 },
    { parts: [["categories[]", "Heads"]], faults: 1 },
    { parts: [["categories", "heads,tattoos"]], faults: 1 },
    { parts: [["categories", '["heads"']], faults: 1 },
    { parts: [["categories", '["heads", 7]']], faults: 1 },
    {
      parts: [
        ["categories[]", "faces"],
        ["categories[]", "heads"],
        ["categories[]", "cars"],
      ],
      faults: 2,
    },
  ])("$parts", async ({ parts, faults }) => {
    const account = await createAccount();
    const details = await refused(account, await send(account, await formOf(...parts)));
    expect(Object.keys(details)).toEqual(["categories"]);
    expect(details["categories"]).toHaveLength(faults);
  });

  test("a value is named, and cut when it is long", async () => {
    const account = await createAccount();
    const details = await refused(
      account,
      await send(account, await formOf(["categories[]", "x".repeat(9_000)])),
    );
    expect(details["categories"]?.[0]).toMatch(/^`categories` is "x{50,}…; expected one of heads, /);
    expect(details["categories"]?.[0]?.length).toBeLessThan(400);
  });
});

describe("categories that the detector does not serve", () => {
  test("are refused in words that name those that it serves", async () => {
    const account = await createAccount();
    const response = await callWith({ INFERENCE_URL: SMALL_DETECTOR_URL }, "/media/redact", {
      method: "POST",
      apiKey: account.apiKey,
      body: await uploadForm({ categories: ["heads", "tattoos", "screens"] }),
    });
    const { categories } = await refused(account, response);
    expect(categories).toEqual([
      `The installed models cannot find tattoos, screens; they can find ${SMALL_DETECTOR_CATEGORIES.join(", ")}.`,
    ]);
  });

  test.for([
    [SMALL_DETECTOR_URL, ["license_plates", "heads"]],
    [DOWN_DETECTOR_URL, ["tattoos"]],
  ] as const)("others are accepted by %s", async ([INFERENCE_URL, categories]) => {
    const { apiKey } = await createAccount();
    const response = await callWith({ INFERENCE_URL }, "/media/redact", {
      method: "POST",
      apiKey,
      body: await uploadForm({ categories }),
    });
    expect(response.status).toBe(201);
  });
});

describe("all faults of a request are reported at once", () => {
  test("for every field of the form and the header", async () => {
    const account = await createAccount();
    const form = new FormData();
    form.append("file", new File(["just text"], "a.png"));
    form.append("redaction_method", "paint");
    form.append("categories[]", "faces");
    const details = await refused(account, await send(account, form, { "Idempotency-Key": "k".repeat(256) }));
    expect(Object.keys(details).sort()).toEqual([
      "categories",
      "file",
      "idempotency_key",
      "redaction_method",
    ]);
  });

  test.for<[string, FormData | string | null]>([
    ["an empty form", new FormData()],
    ["no body", null],
    ["a text body", "file=1"],
  ])("for %s", async ([, body]) => {
    const account = await createAccount();
    const details = await refused(account, await send(account, body));
    expect(Object.keys(details).sort()).toEqual(["categories", "file"]);
  });

  test("fields behind a file that is too large are not called missing", async () => {
    const account = await createAccount();
    const form = new FormData();
    form.append("file", new File([await png({ width: 8, height: 8, paddingBytes: 3_000 })], "a.png"));
    form.append("redaction_method", "paint");
    form.append("categories[]", "heads");
    const response = await callWith({ MAX_FILE_BYTES: "2000" }, "/media/redact", {
      method: "POST",
      apiKey: account.apiKey,
      body: form,
    });
    const details = await refused(account, response);
    expect(details).toEqual({
      file: ["The file is larger than the limit of 0.002 MB."],
    });
  });

  test("the method sent twice, a field that is too large and a file that is no file", async () => {
    const account = await createAccount();
    const form = new FormData();
    form.append("redaction_method", "blur");
    form.append("redaction_method", "blur");
    form.append("categories[]", "x".repeat(70_000));
    form.append("file", "text without a file name");
    const details = await refused(account, await send(account, form));
    expect(Object.keys(details).sort()).toEqual(["categories", "file", "redaction_method"]);
    expect(details["file"]?.[0]).toContain("no file name");
  });

  test("two files", async () => {
    const account = await createAccount();
    const form = await formOf(["categories[]", "heads"]);
    form.append("file", new File([await png({ width: 8, height: 8 })], "b.png"));
    const details = await refused(account, await send(account, form));
    expect(details["file"]?.[0]).toContain("more than once");
  });
});

describe("idempotency keys", () => {
  test.for([0, 256, 300])("of %d characters are refused", async (length) => {
    const account = await createAccount();
    const response = await upload(account.apiKey, {}, { "Idempotency-Key": "k".repeat(length) });
    expect(Object.keys(await refused(account, response))).toEqual(["idempotency_key"]);
  });

  test.for([1, 255])("of %d characters are accepted", async (length) => {
    const { apiKey } = await createAccount();
    const response = await upload(apiKey, {}, { "Idempotency-Key": "k".repeat(length) });
    expect(response.status).toBe(201);
    expect(response.headers.has("Idempotency-Replayed")).toBe(false);
  });
});

test("a file in a JSON body is refused with the ways to send one", async () => {
  const account = await createAccount();
  const response = await call("/media/redact", {
    method: "POST",
    apiKey: account.apiKey,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ file: "photo.jpg", categories: ["heads"] }),
  });
  expect((await refused(account, response))["file"]).toEqual([
    "`file` cannot be sent as JSON; send the file as a part of a form (multipart/form-data), or its URL as `source_url`.",
  ]);
});

test.for([
  ["faces", "heads"],
  ["face", "heads"],
  ["People", "heads"],
  ["number_plates", "license_plates"],
  ["licence-plate", "license_plates"],
  ["text", "writing"],
  ["logos", "writing"],
  ["QR Code", "qr_codes"],
] as const)("the category %s is refused with the one that it means", async ([word, category]) => {
  const account = await createAccount();
  const details = await refused(account, await send(account, await formOf(["categories[]", word])));
  expect(details["categories"]?.[0]).toMatch(
    `\`categories\` is "${word}"; the category for that is \`${category}\`; expected one of heads, `,
  );
});

describe("parts that are not known are refused", () => {
  const KNOWN =
    "expected one of file, categories[], redaction_method, sensitivity, min_confidence, regions, ignore_regions, detect_only, audio, mute_ranges, verify, folder, metadata, source_url, filename, upload_id.";
  test.for<{ parts: [string, string][]; details: Details }>([
    {
      parts: [["comment", "0.1"]],
      details: { comment: [`\`comment\` is an unknown form field; ${KNOWN}`] },
    },
    {
      parts: [["redaction_metod", "pixelation"]],
      details: {
        redaction_metod: [
          `\`redaction_metod\` is an unknown form field; the nearest known one is \`redaction_method\`; ${KNOWN}`,
        ],
      },
    },
    {
      parts: [["categories[0]", "heads"]],
      details: {
        categories: [
          `\`categories[0]\` is an unknown form field; the nearest known one is \`categories[]\`; ${KNOWN}`,
        ],
      },
    },
    {
      parts: [
        ["note", "x"],
        ["note", "y"],
        ["redaction_method", "paint"],
      ],
      details: {
        note: [`\`note\` is an unknown form field; ${KNOWN}`],
        redaction_method: ['`redaction_method` is "paint"; expected one of blur, pixelation.'],
      },
    },
  ])("$parts", async ({ parts, details }) => {
    for (const isFileFirst of [true, false]) {
      const account = await createAccount();
      const form = new FormData();
      const append = async (): Promise<void> => {
        form.append("file", new File([await png({ width: 8, height: 8 })], "a.png"));
      };
      if (isFileFirst) await append();
      form.append("categories[]", "heads");
      for (const [name, value] of parts) form.append(name, value);
      if (!isFileFirst) await append();
      expect(await refused(account, await send(account, form))).toEqual(details);
    }
  });

  test("names that an object has by itself, and a file under another name", async () => {
    const account = await createAccount();
    const form = await formOf(["categories[]", "heads"], ["constructor", "z"]);
    form.append("__proto__", "y");
    form.append("photo", new File([await png({ width: 8, height: 8 })], "b.png"));
    const response = await send(account, form);
    expect(response.status).toBe(422);
    const text = await response.text();
    for (const name of ["constructor", "__proto__", "photo"]) {
      expect(text).toContain(`"${name}":["\`${name}\` is an unknown form field;`);
    }
    await expectNothingLeft(account.accountId);
  });
});
