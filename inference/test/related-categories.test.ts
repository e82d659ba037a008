import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Category } from "../src/detections/categories.ts";
import type { Detection } from "../src/detections/detection.ts";
import { asAsked, withKin } from "../src/pipeline/related-categories.ts";
import { tinyManifest, tinyModel } from "../scripts/make-tiny-model.ts";
import { answerOf } from "./support/answer.ts";
import { encode, squaresOnBlack } from "./support/pictures.ts";
import { startTestService, type TestService } from "./support/service.ts";
import { z } from "zod";

function found(category: Category, confidence: number, left: number): Detection {
  return {
    category,
    confidence,
    box: { left, top: 0.1, right: left + 0.2, bottom: 0.3 },
  };
}

describe("kinds of the same thing", () => {
  it("are looked for together, and others are not", () => {
    expect(withKin(["credit_cards"])).toEqual(["id_cards", "passports", "credit_cards"]);
    expect(withKin(["documents"])).toEqual(["passports", "documents"]);
    expect(withKin(["heads", "writing"])).toEqual(["heads", "writing"]);
  });

  it("are reported by the name asked for, once for each object", () => {
    const all = [
      found("id_cards", 0.4, 0.1),
      found("passports", 0.9, 0.11),
      found("credit_cards", 0.6, 0.6),
      found("passports", 0.5, 0.61),
    ];
    expect(asAsked(all, ["id_cards"])).toEqual([found("id_cards", 0.4, 0.1), found("id_cards", 0.6, 0.6)]);
    expect(asAsked(all, ["documents"])).toEqual([
      found("documents", 0.9, 0.11),
      found("documents", 0.5, 0.61),
    ]);
  });

  it("keep their own names when each was asked for", () => {
    const all = [found("id_cards", 0.4, 0.1), found("passports", 0.9, 0.1)];
    expect(asAsked(all, ["passports", "id_cards"])).toEqual(all);
  });
});

describe("a network that knows one kind alone", () => {
  let service: TestService;

  beforeAll(async () => {
    const { outputs } = z.looseObject({ outputs: z.looseObject({}) }).parse(tinyManifest(tinyModel()));
    const manifest = {
      outputs: { ...outputs, text: undefined, classes: ["passports"] },
      thresholds: { passports: 0.5 },
    };
    service = await startTestService({ manifest });
  });

  afterAll(async () => service.stop());

  it("still refuses to be asked for what it does not serve, and answers for what it does", async () => {
    const size = { width: 128, height: 96 };
    const frame = await encode(squaresOnBlack(128, 96, [{ x: 16, y: 32, side: 8 }]), size);
    expect((await service.detect({ categories: ["id_cards"] }, [frame])).status).toBe(422);
    const { frames } = await answerOf(await service.detect({ categories: ["passports"] }, [frame]));
    expect(frames[0]?.detections.map(({ category }) => category)).toEqual(["passports"]);
  });
});
