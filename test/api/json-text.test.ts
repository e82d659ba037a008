import { describe, expect, test } from "vitest";
import { parseJson } from "../../src/ground/platform/json-text.ts";
import { Random } from "../support/random.ts";

function faultOf(text: string, parent?: string): readonly (string | undefined)[] {
  const parsed = parseJson(text);
  if (parsed === undefined || "value" in parsed) throw new Error(`There is no fault in ${text}.`);
  return [parsed.fault.field, parsed.fault.sentence(parent)];
}

describe("reports with its place what a parser accepts in silence", () => {
  test.for<{ text: string; field: string | undefined; sentence: string }>([
    {
      text: '{"redact":[],"except":[],"redact":"none"}',
      field: "redact",
      sentence: "`redact` is given more than once; send it once.",
    },
    {
      text: '{"regions":[{"box":{"x":0}},{"box":{"x":0, "y":1, "x" : 1}}]}',
      field: "regions",
      sentence: "`regions[1].box.x` is given more than once; send it once.",
    },
    {
      // The same name, written in two ways, and quotes inside names.
      text: String.raw`{"a\"b":"{\"a\":1}","\u0061\"b":2}`,
      field: 'a"b',
      sentence: '`a"b` is given more than once; send it once.',
    },
    {
      text: '{"__proto__":1,"__proto__":2}',
      field: "__proto__",
      sentence: "`__proto__` is given more than once; send it once.",
    },
    {
      text: '{"min_confidence":{"heads":-1e999}}',
      field: "min_confidence",
      sentence: "`min_confidence.heads` is -1e999; expected a number between -1e308 and 1e308.",
    },
    {
      text: "1e400",
      field: undefined,
      sentence: "The body is 1e400; expected a number between -1e308 and 1e308.",
    },
    {
      text: `[${"9".repeat(400)}]`,
      field: undefined,
      sentence: `\`[0]\` is ${"9".repeat(100)}; expected a number between -1e308 and 1e308.`,
    },
  ])("$text", ({ text, field, sentence }) => {
    expect(faultOf(text)).toEqual([field, sentence]);
  });

  test("under the name of the field that holds the text", () => {
    expect(faultOf('[{"box":1,"box":2}]', "regions")[1]).toBe(
      "`regions[0].box` is given more than once; send it once.",
    );
  });

  test("and text that is nested too deeply, however long it is", () => {
    const text = "[".repeat(2_000_000) + "]".repeat(2_000_000);
    expect(faultOf(text)[1]).toMatch(/is nested deeper than 64 levels\.$/);
    expect(parseJson(`${"[".repeat(64)}${"]".repeat(64)}`)).toHaveProperty("value");
  });
});

test("text that is no JSON is none", () => {
  for (const text of ["", "{", '{"a":NaN}', "{'a':1}", '{"a":1,}', "undefined"])
    expect(parseJson(text)).toBeUndefined();
});

/** A value without duplicate names, with names and texts that look like JSON. */
function randomValue(random: Random, depth: number): unknown {
  const texts = ['"', "\\", '\\"', "{", "}", "[", ",", ":", "a", "1e999", "\n", "é", '{"a":1,"a":2}'];
  const kind = random.int(0, depth > 0 ? 5 : 3);
  if (kind === 0) return random.pick([0, -1.5, 1e21, 1e-300, 123_456_789]);
  if (kind === 1) return random.pick([true, false, null]);
  if (kind <= 3) return random.pick(texts) + random.pick(texts);
  const values = Array.from({ length: random.int(0, 4) }, () => randomValue(random, depth - 1));
  return kind === 4
    ? values
    : Object.fromEntries(values.map((value, index) => [`${random.pick(texts)}${index}`, value]));
}

test("whatever has no fault is what a parser makes of it (seed 7)", () => {
  const random = new Random(7);
  for (let round = 0; round < 500; round++) {
    const text = JSON.stringify(randomValue(random, 4), undefined, round % 3);
    expect(parseJson(text)).toEqual({ value: JSON.parse(text) as unknown });
  }
});
