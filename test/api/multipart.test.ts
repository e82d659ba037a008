import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "../../src/ground/platform/ids.ts";
import { MultipartError, boundaryOf, readMultipart } from "../../src/intake/uploads/body/multipart.ts";
import { readUploadForm } from "../../src/intake/uploads/upload-form.ts";
import { jpeg } from "../support/file-headers.ts";
import { concat } from "../support/images.ts";
import { field, filePart, multipart, pieces, type RawPart } from "../support/multipart.ts";

const LIMITS = { maxParts: 20, maxHeaderBytes: 2_000 };

interface ReadPart {
  readonly name: string;
  readonly filename: string | undefined;
  readonly body: Uint8Array;
}

async function* asynchronous<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* items;
}

async function readAll(
  body: Uint8Array,
  boundary: string,
  sizes: readonly number[] = [body.length],
): Promise<ReadPart[]> {
  const read: ReadPart[] = [];
  for await (const part of readMultipart(asynchronous(pieces(body, sizes)), boundary, LIMITS)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of part.body) chunks.push(chunk.slice());
    read.push({ name: part.name, filename: part.filename, body: concat(chunks) });
  }
  return read;
}

const BOUNDARY_CHARACTERS = "0123456789abcXYZ'()+_,-./:=?";
const boundaries = fc
  .array(fc.constantFrom(...Array.from(BOUNDARY_CHARACTERS)), { minLength: 1, maxLength: 70 })
  .map((characters) => characters.join(""));
const sizeLists = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 });

/** Bodies full of parts of delimiters, and of delimiters without their last character. */
function bodiesFor(boundary: string): fc.Arbitrary<Uint8Array> {
  const encoder = new TextEncoder();
  const tempting = [
    "\r",
    "\n",
    "\r\n",
    "--",
    "-",
    `\r\n--${boundary.slice(0, -1)}`,
    `--${boundary}`,
    boundary,
  ];
  const delimiter = `\r\n--${boundary}`;
  return fc
    .array(
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom(...tempting).map((text) => encoder.encode(text)),
      ),
      { maxLength: 12 },
    )
    .map((chunks) => concat(chunks))
    .filter((body) => !`\r\n${new TextDecoder("latin1").decode(body)}`.includes(delimiter));
}

const NAME_CHARACTERS = "abc[]; =\\é🎭'";
const names = fc.string({
  unit: fc.constantFrom(...Array.from(NAME_CHARACTERS)),
  minLength: 1,
  maxLength: 12,
});
function quotedForm(name: string): string {
  return name.replaceAll("\\", "\\\\").replaceAll('"', "%22");
}

const forms = boundaries.chain((boundary) =>
  fc.record({
    boundary: fc.constant(boundary),
    sizes: sizeLists,
    parts: fc.array(
      fc.record({
        name: names,
        filename: fc.option(names, { nil: undefined }),
        body: bodiesFor(boundary),
        extra: fc.constantFrom<string[]>([], ["Content-Type: text/plain"], ['X-Name: a; name="evil"']),
      }),
      { maxLength: 8 },
    ),
  }),
);

describe("any form is read as it was written", () => {
  test("whatever its boundary, contents and the places where the stream is cut", async () => {
    await fc.assert(
      fc.asyncProperty(forms, async ({ boundary, sizes, parts }) => {
        const raw: RawPart[] = parts.map(({ name, filename, body, extra }) => {
          const file = filename === undefined ? "" : `; filename="${quotedForm(filename)}"`;
          return {
            headers: [...extra, `content-DISPOSITION: form-data; name="${quotedForm(name)}"${file}`],
            body,
          };
        });
        const read = await readAll(multipart(boundary, raw), boundary, sizes);
        expect(read).toEqual(parts.map(({ name, filename, body }) => ({ name, filename, body })));
      }),
      { numRuns: 300 },
    );
  });

  test("with a preamble, padding after delimiters and an epilogue", async () => {
    const text = [
      "This is the preamble.",
      "--b \t",
      'Content-Disposition: form-data; name="a"',
      "",
      "1",
      "--b",
      "Content-Disposition: form-data; name=b; filename*=UTF-8''%C3%A9.png",
      "",
      "",
      "--b--",
      "This is the epilogue.",
    ].join("\r\n");
    expect(await readAll(new TextEncoder().encode(text), "b", [1])).toEqual([
      { name: "a", filename: undefined, body: new Uint8Array([49]) },
      { name: "b", filename: "é.png", body: new Uint8Array(0) },
    ]);
  });
});

describe("a form that is not well-formed", () => {
  test("is refused wherever it is cut off", async () => {
    const body = multipart("b0", [field("a", "1"), filePart(new Uint8Array(50))]);
    for (let length = 0; length < body.length - 3; length++) {
      await expect(readAll(body.slice(0, length), "b0", [7])).rejects.toThrow(MultipartError);
    }
    expect(await readAll(body.slice(0, -2), "b0", [7])).toHaveLength(2);
  });

  test("never ends in anything but parts or a MultipartError", async () => {
    const mutations = fc.array(
      fc.record({
        at: fc.nat(400),
        byte: fc.constantFrom(0, 10, 13, 34, 45, 59, 92, 255),
        cut: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    );
    const whole = multipart("bb", [
      field("a", "1"),
      filePart(new Uint8Array(30)),
      field("categories[]", "heads"),
    ]);
    await fc.assert(
      fc.asyncProperty(mutations, sizeLists, async (changes, sizes) => {
        let body: Uint8Array = whole.slice();
        for (const { at, byte, cut } of changes) {
          if (cut) body = concat([body.slice(0, at), body.slice(at + 1)]);
          else if (at < body.length) body[at] = byte;
        }
        try {
          await readAll(body, "bb", sizes);
        } catch (error) {
          expect(error).toBeInstanceOf(MultipartError);
        }
      }),
      { numRuns: 500 },
    );
  });

  test.for<[string, RawPart[]]>([
    ["too many parts", Array.from({ length: 21 }, () => field("a", ""))],
    ["headers without end", [{ headers: [`X: ${"x".repeat(2_100)}`], body: new Uint8Array(0) }]],
    ["a part without a name", [{ headers: ["Content-Disposition: form-data"], body: new Uint8Array(0) }]],
    ["a part without headers", [{ headers: [], body: new Uint8Array(0) }]],
    ["an attachment", [{ headers: ['Content-Disposition: attachment; name="a"'], body: new Uint8Array(0) }]],
  ])("is refused for %s", async ([, parts]) => {
    await expect(readAll(multipart("b", parts), "b", [64])).rejects.toThrow(MultipartError);
  });
});

test.for<[string | undefined, string | null]>([
  ["multipart/form-data; boundary=abc", "abc"],
  ["Multipart/Form-Data; charset=utf-8; BOUNDARY=abc", "abc"],
  ['multipart/form-data; boundary="a b:c"', "a b:c"],
  ["multipart/form-data;boundary=x; charset=utf-8", "x"],
  [`multipart/form-data; boundary=${"x".repeat(70)}`, "x".repeat(70)],
  [`multipart/form-data; boundary=${"x".repeat(71)}`, null],
  ["multipart/form-data; boundary=", null],
  ['multipart/form-data; boundary=""', null],
  ["multipart/form-data", null],
  ["multipart/mixed; boundary=abc", null],
  ["application/json", null],
  ["xmultipart/form-data; boundary=abc", null],
  [undefined, null],
])("the boundary of %j is %j", ([contentType, boundary]) => {
  expect(boundaryOf(contentType)).toBe(boundary);
});

describe("an upload form", () => {
  const limits = { maxFileBytes: 10_000, maxMegapixels: 100, maxBufferedMegapixels: 16 };

  test("gives the same order and the same file whatever the order of its parts", async () => {
    const file = concat([jpeg({ width: 5, height: 4 }), new Uint8Array(3_000).fill(7)]);
    const parts = [
      filePart(file, "x.jpg"),
      field("categories[]", "heads"),
      field("redaction_method", "pixelation"),
      field("categories", "--b"),
    ];
    const digest = await crypto.subtle.digest("SHA-256", file);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(parts, { minLength: 4 }), sizeLists, async (order, sizes) => {
        const written: Uint8Array[] = [];
        const sink = {
          open: async () => await Promise.resolve(true),
          write: async (chunk: Uint8Array) => {
            written.push(chunk.slice());
            await Promise.resolve();
          },
        };
        const chunks = asynchronous(pieces(multipart("b", order), sizes));
        const form = await readUploadForm({ chunks, boundary: "b" }, sink, limits);
        expect(form.faults.size).toBe(0);
        expect(form.isComplete).toBe(true);
        expect([form.fields.get("categories[]"), form.fields.get("redaction_method")]).toEqual([
          ["heads"],
          ["pixelation"],
        ]);
        expect(form.file).toMatchObject({ filename: "x.jpg", format: "jpeg", sizeBytes: file.length });
        expect(form.file?.sha256).toBe(toHex(new Uint8Array(digest)));
        expect(concat(written)).toEqual(file);
      }),
      { numRuns: 60 },
    );
  });

  test("never breaks on the content of a file", async () => {
    const beginnings = [
      "\u0089PNG\r\n\u001a\n",
      "\u00ff\u00d8\u00ff",
      "RIFF\u0010\u0000\u0000\u0000WEBPVP8",
      "\u0000\u0000\u0000\u0018ftyp",
      "\u001aE\u00df\u00a3",
      "PK\u0003\u0004",
      "\u001f\u008b\u0008",
      "0&\u00b2u\u008ef\u00cf\u0011\u00a6\u00d9",
      "II*\u0000",
      "ID3",
      "OggS",
      "%PDF",
      "<?xml ",
      "\u00ff\u00fe",
      "",
    ].map((text) => Uint8Array.from(text, (character) => character.charCodeAt(0)));
    const sink = {
      open: async () => await Promise.resolve(true),
      write: async () => await Promise.resolve(),
    };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...beginnings),
        fc.uint8Array({ maxLength: 300 }),
        async (start, rest) => {
          const body = multipart("b", [filePart(concat([start, rest])), field("categories[]", "heads")]);
          const form = await readUploadForm({ chunks: asynchronous([body]), boundary: "b" }, sink, limits);
          expect(form.file === undefined).toBe(form.faults.has("file"));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
