import { createHash } from "node:crypto";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { regionsFromDetections, type Region } from "../../src/pixels/redaction/regions/regions.ts";
import { redactBytes } from "./support/redact.ts";

const WIDTH = 480;
const HEIGHT = 320;
type Box = readonly [number, number, number, number];
const HEAD: Box = [0.15, 0.2, 0.2, 0.4];
const PLATE: Box = [0.65, 0.6, 0.25, 0.15];
/** Well inside the head's mask, even if the mask is slightly displaced. */
const WITHIN: Box = [0.2, 0.3, 0.1, 0.2];

let png: Uint8Array;
let jpeg: Uint8Array;

beforeAll(async () => {
  const noise = { type: "gaussian", mean: 120, sigma: 50 } as const;
  const create = { width: WIDTH, height: HEIGHT, channels: 3, background: "#777", noise } as const;
  const picture = sharp(await sharp({ create }).png().toBuffer());
  png = await picture.png().toBuffer();
  jpeg = await picture.jpeg({ quality: 92 }).toBuffer();
});

function regions(...found: readonly { category: "heads" | "license_plates"; box: Box }[]): Region[] {
  return regionsFromDetections(found);
}

/** The hash of a redaction's red, green and blue values in a box. */
async function shownIn(
  format: "png" | "jpeg",
  { masks, method, box: [x, y, width, height] }: { masks: Region[]; method: "blur" | "pixelation"; box: Box },
): Promise<string> {
  const output = await redactBytes(format, format === "png" ? png : jpeg, masks, method);
  const place = {
    left: Math.round(x * WIDTH),
    top: Math.round(y * HEIGHT),
    width: Math.round(width * WIDTH),
    height: Math.round(height * HEIGHT),
  };
  const pixels = await sharp(output).extract(place).removeAlpha().raw().toBuffer();
  return createHash("sha256").update(pixels).digest("hex");
}

const head = { category: "heads", box: HEAD } as const;
const plate = { category: "license_plates", box: PLATE } as const;

describe.each(["png", "jpeg"] as const)("two redactions of one %s", (format) => {
  it.each(["blur", "pixelation"] as const)(
    "are the same under a mask that both have, whatever else each hides: %s",
    async (method) => {
      const one = await shownIn(format, { masks: regions(head), method, box: HEAD });
      const other = await shownIn(format, { masks: regions(head, plate), method, box: HEAD });
      expect(one).toBe(other);
    },
  );

  it("are the same within masks that lie a little apart: no second grid tells more", async () => {
    const [x, y, width, height] = HEAD;
    const moved = { category: "heads", box: [x + 0.012, y - 0.017, width, height] } as const;
    const shown = { method: "pixelation", box: WITHIN } as const;
    const one = await shownIn(format, { ...shown, masks: regions(head) });
    const other = await shownIn(format, { ...shown, masks: regions(moved) });
    expect(one).toBe(other);
  });
});
