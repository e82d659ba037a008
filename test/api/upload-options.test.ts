import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, callWith, errorOf } from "../support/api.ts";
import { expectNothingLeft } from "../support/leftovers.ts";
import { uploadForm } from "../support/uploads.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Uploads a photo with these fields. Values other than texts are sent as JSON. */
async function send(
  account: TestAccount,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<Response> {
  const form = await uploadForm();
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  return await call("/media/redact", { method: "POST", apiKey: account.apiKey, body: form, headers });
}

async function storedOptions(mediaId: string): Promise<unknown> {
  const row = await env.DB.prepare("SELECT options FROM masking_options WHERE media_id = ?")
    .bind(mediaId)
    .first<{ options: string }>();
  return row === null ? undefined : JSON.parse(row.options);
}

const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.4 };
const triangle = [
  [0, 0],
  [1, 0],
  [0.5, 1],
];

describe("options are kept with the media", () => {
  test.for<{ fields: Fields; stored: unknown }>([
    { fields: {}, stored: undefined },
    { fields: { sensitivity: "normal", detect_only: "false", regions: [] }, stored: undefined },
    { fields: { sensitivity: "high" }, stored: { sensitivity: "high" } },
    { fields: { min_confidence: 0 }, stored: { minConfidence: 0 } },
    {
      fields: { min_confidence: { license_plates: 0.5, heads: 1 }, categories: ["heads", "license_plates"] },
      stored: { minConfidence: { heads: 1, license_plates: 0.5 } },
    },
    { fields: { detect_only: true }, stored: { isDetectOnly: true } },
    { fields: { verify: true }, stored: undefined },
    { fields: { verify: false }, stored: { isVerified: false } },
    {
      fields: { regions: [{ box }, { category: "heads", polygon: triangle }] },
      stored: {
        regions: [{ box: [0.1, 0.2, 0.3, 0.4] }, { category: "heads", box: [0, 0, 1, 1], polygon: triangle }],
      },
    },
    {
      fields: { ignore_regions: [{ box: { x: 0, y: 0, width: 1, height: 1 } }] },
      stored: { ignoreRegions: [{ box: [0, 0, 1, 1] }] },
    },
    {
      fields: { regions: Array.from({ length: 500 }, () => ({ box })) },
      stored: { regions: Array.from({ length: 500 }, () => ({ box: [0.1, 0.2, 0.3, 0.4] })) },
    },
  ])("$fields", async ({ fields, stored }) => {
    const response = await send(await createAccount(), fields);
    expect(response.status).toBe(201);
    // The schema is strict, so this checks that the item has exactly the contract's fields.
    const { id } = await bodyOf(response, mediaSchema);
    expect(await storedOptions(id)).toEqual(stored);
  });

  test("and go with it", async () => {
    const account = await createAccount();
    const { id } = await bodyOf(await send(account, { sensitivity: "low" }), mediaSchema);
    expect((await call(`/media/${id}`, { method: "DELETE", apiKey: account.apiKey })).status).toBe(204);
    expect(await storedOptions(id)).toBeUndefined();
  });

  test("500 polygons of 64 corners in full precision are accepted", async () => {
    const polygon = Array.from({ length: 64 }, (_, corner) => {
      const angle = (corner / 64) * 2 * Math.PI;
      return [0.5 + Math.cos(angle) / 3, 0.5 + Math.sin(angle) / 3];
    });
    const regions = Array.from({ length: 500 }, () => ({ polygon }));
    expect((await send(await createAccount(), { regions, ignore_regions: regions })).status).toBe(201);
  });
});

describe("the errors of invalid options are reported, and nothing is stored", () => {
  const many = Array.from({ length: 501 }, () => ({ box }));
  test.for<{ fields: Fields; details: Record<string, (string | RegExp)[]> }>([
    {
      fields: { sensitivity: "max" },
      details: { sensitivity: ['`sensitivity` is "max"; expected one of low, normal, high.'] },
    },
    {
      fields: { detect_only: "yes" },
      details: { detect_only: ['`detect_only` is "yes"; expected one of true, false.'] },
    },
    {
      fields: { verify: "1" },
      details: { verify: ['`verify` is "1"; expected one of true, false.'] },
    },
    {
      fields: { audio: "mute" },
      details: { audio: ["`audio` is sent with an image; it is for videos only."] },
    },
    {
      fields: { mute_ranges: [{ start_seconds: 1, end_seconds: 2 }] },
      details: { mute_ranges: ["`mute_ranges` is sent with an image; it is for videos only."] },
    },
    {
      fields: {
        mute_ranges: [
          { start_seconds: 2, end_seconds: 2 },
          { start_seconds: -1, end_seconds: 3, sound: "beep" },
          { start: 1, end_seconds: 2 },
        ],
      },
      details: {
        mute_ranges: [
          "`mute_ranges[0].end_seconds` is 2; expected a time after start_seconds, 2.",
          "`mute_ranges[1].start_seconds` is -1; expected a number of seconds, 0 or more.",
          '`mute_ranges[1].sound` is "beep"; expected one of silence, tone.',
          /^`mute_ranges\[2\].start_seconds` is /,
          "`mute_ranges[2].start` is unknown; expected an object of start_seconds, end_seconds and sound.",
          "`mute_ranges` is sent with an image; it is for videos only.",
        ],
      },
    },
    {
      fields: { mute_ranges: Array.from({ length: 501 }, () => ({ start_seconds: 1, end_seconds: 2 })) },
      details: {
        mute_ranges: [
          "`mute_ranges` is a list of 501; expected at most 500 ranges.",
          "`mute_ranges` is sent with an image; it is for videos only.",
        ],
      },
    },
    {
      fields: { sensitivity: "high", min_confidence: "0.5" },
      details: {
        min_confidence: ["`min_confidence` and `sensitivity` are both sent; send only one of them."],
      },
    },
    {
      fields: { min_confidence: '{"heads": 2, "fases": 0.1, "screens": 0.4}' },
      details: {
        min_confidence: [
          "`min_confidence.heads` is 2; expected a number from 0 to 1.",
          /^`min_confidence` has the unknown category "fases"; expected one of heads, /,
          "`min_confidence` has a threshold for screens, which `categories` does not name; expected thresholds for heads only.",
        ],
      },
    },
    {
      fields: { min_confidence: { heads: 0.4, tattoos: 0.2 } },
      details: {
        min_confidence: [
          "`min_confidence` has a threshold for tattoos, which `categories` does not name; expected thresholds for heads only.",
        ],
      },
    },
    ...["1.5", "-0.1", '"0.5"', "null", "[]"].map((text) => ({
      fields: { min_confidence: text },
      details: {
        min_confidence: [/expected a number from 0 to 1, or a JSON object of such numbers by category\.$/],
      },
    })),
    {
      fields: { min_confidence: "NaN" },
      details: { min_confidence: ['`min_confidence` is "NaN"; expected JSON.'] },
    },
    { fields: { regions: "" }, details: { regions: ['`regions` is ""; expected JSON.'] } },
    {
      fields: { regions: "{}" },
      details: { regions: ["`regions` is {}; expected a JSON array of regions."] },
    },
    {
      fields: { regions: many },
      details: { regions: ["`regions` is a list of 501; expected at most 500 regions."] },
    },
    {
      fields: { ignore_regions: many },
      details: { ignore_regions: ["`ignore_regions` is a list of 501; expected at most 500 regions."] },
    },
    {
      fields: { regions: '[{"box": {"x": NaN, "y": 0, "width": 1, "height": 1}}]' },
      details: { regions: [/expected JSON\.$/] },
    },
    {
      fields: { regions: '[{"box": {"x": 1e999, "y": 0, "width": 1, "height": 1}}]' },
      details: {
        regions: ["`regions[0].box.x` is 1e999; expected a number between -1e308 and 1e308."],
      },
    },
    {
      fields: { min_confidence: '{"heads": 0.9, "heads": 0.1}' },
      details: { min_confidence: ["`min_confidence.heads` is given more than once; send it once."] },
    },
    {
      fields: { regions: [{ box: { ...box, x: -0.1 } }] },
      details: { regions: ["`regions[0].box.x` is -0.1; expected a number from 0 to 1."] },
    },
    // One sentence per mistake, without those that follow from it.
    ...[2, -1, "a"].map((width) => ({
      fields: { regions: [{ box: { ...box, width } }] },
      details: {
        regions: [
          `\`regions[0].box.width\` is ${JSON.stringify(width)}; expected a number above 0, up to 1.`,
        ],
      },
    })),
    {
      fields: { ignore_regions: [{ box }, { keyframes: [{ time_seconds: 0, box: { ...box, width: 7 } }] }] },
      details: {
        ignore_regions: [
          "`ignore_regions[1].keyframes[0].box.width` is 7; expected a number above 0, up to 1.",
        ],
      },
    },
    {
      fields: {
        regions: [
          {
            polygon: [
              [0, 0],
              [1, 2],
              [0.5, 0.5],
            ],
          },
        ],
      },
      details: { regions: ["`regions[0].polygon[1][1]` is 2; expected a number from 0 to 1."] },
    },
    {
      fields: { regions: [{ box: { x: 100, y: 80, width: 200, height: 50 } }] },
      details: {
        regions: [
          '`regions[0].box` is {"x":100,"y":80,"width":200,"height":50}; expected x, y, width and height as fractions of the picture, from 0 to 1, not in pixels.',
        ],
      },
    },
    {
      fields: {
        regions: [
          {
            polygon: [
              [10, 20],
              [300, 20],
              [300, 90],
            ],
          },
        ],
      },
      details: {
        regions: [
          "`regions[0].polygon` is [[10,20],[300,20],[300,90]]; expected corners [x, y] as fractions of the picture, from 0 to 1, not in pixels.",
        ],
      },
    },
    {
      fields: { regions: [{ box: { x: 0.1, y: 0.1, w: 0.2, h: 0.2 } }] },
      details: {
        regions: [
          "`regions[0].box` has the unknown properties `w`, `h`; expected an object of x, y, width and height.",
        ],
      },
    },
    {
      fields: { regions: [{ bbox: box }] },
      details: {
        regions: [
          "`regions[0].bbox` is unknown; expected an object of category, reason, box, polygon, start_seconds, end_seconds and keyframes.",
        ],
      },
    },
    // Two mistakes in one region are two sentences.
    {
      fields: { regions: [{ category: "faces", box: { ...box, width: 2 } }] },
      details: {
        regions: [
          /^`regions\[0\]\.category` is "faces"/,
          "`regions[0].box.width` is 2; expected a number above 0, up to 1.",
        ],
      },
    },
    {
      fields: { regions: [{ box: { ...box, width: 0.95 } }] },
      details: {
        regions: [/^`regions\[0\]\.box` is .*; expected a box within the picture: x \+ width up to 1\.$/],
      },
    },
    {
      fields: { regions: [{ box: { ...box, width: 0 } }] },
      details: { regions: ["`regions[0].box.width` is 0; expected a number above 0, up to 1."] },
    },
    {
      fields: {
        regions: [
          {
            polygon: [
              [0, 0],
              [1, 1],
              [1, 0],
              [0, 1],
            ],
          },
        ],
      },
      details: {
        regions: [
          "`regions[0].polygon` is a list of 4; expected a polygon whose sides do not cross; those from corners 0 and 2 do.",
        ],
      },
    },
    {
      fields: {
        regions: [
          {
            polygon: [
              [0, 0],
              [0.5, 0],
              [1, 0],
            ],
          },
        ],
      },
      details: { regions: [/expected a polygon with an area\.$/] },
    },
    {
      fields: { regions: [{ box: { x: 0.1, y: 0.1, width: 1e-12, height: 0.5 } }] },
      details: { regions: [/expected a box with an area\.$/] },
    },
    // After rounding, its corners would lie on one line.
    {
      fields: {
        regions: [
          {
            polygon: [
              [0.500001, 0.05],
              [0.500003, 0.05],
              [0.500003, 0.95],
            ],
          },
        ],
      },
      details: { regions: [/expected a polygon with an area\.$/] },
    },
    {
      fields: { regions: [{ polygon: Array.from({ length: 65 }, () => [0, 0]) }] },
      details: { regions: ["`regions[0].polygon` is a list of 65; expected 3 to 64 corners [x, y]."] },
    },
    {
      fields: {
        regions: [
          {
            polygon: [
              [0, 0],
              [1, 1],
            ],
          },
        ],
      },
      details: { regions: [/expected 3 to 64 corners \[x, y\]\.$/] },
    },
    {
      fields: { regions: [{ box, polygon: triangle }] },
      details: { regions: [/expected exactly one of box, polygon and keyframes\.$/] },
    },
    {
      fields: { regions: [{}] },
      details: { regions: [/expected exactly one of box, polygon and keyframes\.$/] },
    },
    {
      fields: { regions: [{ box, colour: "red" }] },
      details: {
        regions: [
          "`regions[0].colour` is unknown; expected an object of category, reason, box, polygon, start_seconds, end_seconds and keyframes.",
        ],
      },
    },
    {
      fields: { regions: [{ box, category: "faces" }] },
      details: { regions: [/^`regions\[0\]\.category` is "faces"; expected one of heads, /] },
    },
    {
      fields: { regions: [{ box, start_seconds: 1 }] },
      details: {
        regions: ["`regions[0].start_seconds` is for videos; expected category, reason, box and polygon."],
      },
    },
    {
      fields: {
        regions: [
          {
            keyframes: [
              { time_seconds: 2, box },
              { time_seconds: 1, box },
            ],
          },
        ],
      },
      details: {
        regions: [
          "`regions[0].keyframes[1].time_seconds` is 1; expected a time after that of the keyframe before, 2.",
        ],
      },
    },
    {
      fields: { regions: [{ box, start_seconds: 2, end_seconds: 2 }] },
      details: { regions: ["`regions[0].end_seconds` is 2; expected a time after start_seconds, 2."] },
    },
  ])("$fields", async ({ fields, details }) => {
    const account = await createAccount();
    const response = await send(account, fields);
    expect(response.status).toBe(422);
    const found = (await errorOf(response)).details as Record<string, string[]>;
    expect(Object.keys(found)).toEqual(Object.keys(details));
    for (const [field, sentences] of Object.entries(details)) {
      expect(found[field]).toHaveLength(sentences.length);
      for (const [index, sentence] of sentences.entries()) {
        if (typeof sentence === "string") expect(found[field]?.[index]).toBe(sentence);
        else expect(found[field]?.[index]).toMatch(sentence);
      }
    }
    await expectNothingLeft(account.accountId);
  });

  test("a field that is sent twice", async () => {
    const account = await createAccount();
    const form = await uploadForm();
    for (const value of ["[]", "[]"]) form.append("regions", value);
    const response = await call("/media/redact", { method: "POST", apiKey: account.apiKey, body: form });
    expect((await errorOf(response)).details).toEqual({
      regions: ["`regions` is sent 2 times; send it once."],
    });
    await expectNothingLeft(account.accountId);
  });

  test("a million faults cost no more than a few sentences", async () => {
    const account = await createAccount();
    for (const regions of [
      `[${"0,".repeat(900_000)}0]`,
      `[{"polygon":[${"0,".repeat(900_000)}0]}]`,
      `[${"[".repeat(2_000)}]`,
    ]) {
      const response = await send(account, { regions });
      expect(response.status).toBe(422);
      expect((await response.text()).length).toBeLessThan(4_000);
    }
    const tooLarge = await send(account, { regions: `[${" ".repeat(3_000_000)}]` });
    expect((await errorOf(tooLarge)).details).toEqual({
      regions: ["`regions` is larger than 2097152 bytes."],
    });
    await expectNothingLeft(account.accountId);
  });

  test("a word for people that the installed detector has no thresholds for", async () => {
    const account = await createAccount();
    const form = await uploadForm();
    form.append("sensitivity", "high");
    const detector = {
      DETECTOR: "huggingface",
      HUGGINGFACE_URL: "http://hf.test",
      HUGGINGFACE_TOKEN: "t",
      HUGGINGFACE_LABELS: '{"head":"heads"}',
    };
    const response = await callWith(detector, "/media/redact", {
      method: "POST",
      apiKey: account.apiKey,
      body: form,
    });
    expect(response.status).toBe(422);
    expect((await errorOf(response)).details).toEqual({
      sensitivity: ["`sensitivity` is not supported by the installed detector; use `min_confidence`."],
    });
  });
});

describe("options make another upload of the same file", () => {
  test.for<{ first: Fields; second: Fields; isSame: boolean }>([
    { first: {}, second: { sensitivity: "high" }, isSame: false },
    { first: { regions: [{ box }] }, second: { regions: [{ box: { ...box, x: 0.2 } }] }, isSame: false },
    { first: { min_confidence: 0.2 }, second: { min_confidence: 0.3 }, isSame: false },
    { first: { ignore_regions: [{ box }] }, second: { regions: [{ box }] }, isSame: false },
    { first: { detect_only: "true" }, second: {}, isSame: false },
    { first: {}, second: { sensitivity: "normal", detect_only: "false", regions: "[]" }, isSame: true },
    {
      first: { categories: ["writing"], min_confidence: { heads: 0.1, writing: 0.2 } },
      second: { categories: ["writing"], min_confidence: { writing: 0.2, heads: 0.1 } },
      isSame: true,
    },
    { first: { regions: [{ box }] }, second: { regions: [{ box }] }, isSame: true },
  ])("$first and $second: $isSame", async ({ first, second, isSame }) => {
    const account = await createAccount();
    const headers = { "Idempotency-Key": "one" };
    expect((await send(account, first, headers)).status).toBe(201);
    const again = await send(account, second, headers);
    expect(again.status).toBe(isSame ? 201 : 409);
    if (isSame) expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    else expect((await errorOf(again)).details).toEqual({ reason: "idempotency_key_reused" });
  });
});
