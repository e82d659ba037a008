import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Frame } from "../../src/detection/detector.ts";
import { huggingFaceDetector } from "../../src/detection/huggingface.detector.ts";
import type { LabelMap } from "../../src/detection/detector-settings.ts";

const BYTES = new Uint8Array([0xff, 0xd8, 0xff, 0xd9]);
const FRAME: Frame = {
  contentType: "image/jpeg",
  sizeBytes: BYTES.length,
  widthPixels: 80,
  heightPixels: 120,
  open: async () => new Blob([BYTES]).stream(),
};

function detectorAt(path: string, options: { token?: string; labels?: LabelMap } = {}) {
  return huggingFaceDetector({
    url: `${env.ENDPOINT_URL}${path}`,
    token: options.token ?? "hf-test",
    labels: options.labels ?? { "person-head": "heads" },
    timeoutMs: 5000,
  });
}

test("labels become categories by the map, and pixels become fractions of the picture", async () => {
  const detector = detectorAt("/", {
    labels: { "person-head": "heads", [`bytes-${BYTES.length}`]: "screens" },
  });
  const found = await detector.detect({ frame: FRAME, categories: ["heads", "screens"], requestId: "req_1" });
  const box = [0.1, 0.1, 0.2, 0.2].map((value) => expect.closeTo(value, 6) as number);
  expect(found).toEqual({
    width: 80,
    height: 120,
    detections: [
      { category: "heads", confidence: 0.9, box },
      { category: "screens", confidence: 0.7, box },
    ],
  });
});

test("what was not asked for is left out", async () => {
  const detector = detectorAt("/", { labels: { "person-head": "heads", unmapped: "tattoos" } });
  const found = await detector.detect({ frame: FRAME, categories: ["tattoos"], requestId: "req_1" });
  expect(found.detections.map(({ category }) => category)).toEqual(["tattoos"]);
});

test.for([
  { path: "/broken", options: {}, code: "detector_unavailable", isTransient: true },
  { path: "/", options: { token: "wrong" }, code: "detector_unavailable", isTransient: true },
  { path: "/garbage", options: {}, code: "detector_answer_invalid", isTransient: true },
])("a fault of the endpoint at $path is $code", async ({ path, options, code, isTransient }) => {
  const detection = detectorAt(path, options).detect({
    frame: FRAME,
    categories: ["heads"],
    requestId: "req_1",
  });
  await expect(detection).rejects.toMatchObject({ name: "DetectionError", code, isTransient });
});

test("a category that no label stands for is refused for good", async () => {
  const detection = detectorAt("/").detect({ frame: FRAME, categories: ["passports"], requestId: "req_1" });
  await expect(detection).rejects.toMatchObject({ code: "categories_unserved", isTransient: false });
});
