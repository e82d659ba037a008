import type { Box } from "../../src/pixels/geometry/box.ts";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Frame } from "../../src/work/detection/detector.ts";
import { huggingFaceDetector } from "../../src/work/detection/huggingface.detector.ts";
import { storedBox } from "../../src/pixels/geometry/orientation.ts";
import type { LabelMap } from "../../src/work/detection/label-map.ts";

const BYTES = new Uint8Array([0xff, 0xd8, 0xff, 0xd9]);
const FRAME: Frame = {
  format: "jpeg",
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
  const {
    frames: [found],
  } = await detector.detect({
    frames: [FRAME],
    categories: ["heads", "screens"],
    subject: { requestId: "req_1", accountId: "acc_test", mediaId: "media_test" },
  });
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
  const {
    frames: [found],
  } = await detector.detect({
    frames: [FRAME],
    categories: ["tattoos"],
    subject: { requestId: "req_1", accountId: "acc_test", mediaId: "media_test" },
  });
  expect(found?.detections.map(({ category }) => category)).toEqual(["tattoos"]);
});

test.for([
  { path: "/broken", options: {}, code: "detector_unavailable", isTransient: true },
  { path: "/", options: { token: "wrong" }, code: "detector_unavailable", isTransient: true },
  { path: "/garbage", options: {}, code: "detector_answer_invalid", isTransient: true },
])("a fault of the endpoint at $path is $code", async ({ path, options, code, isTransient }) => {
  const detection = detectorAt(path, options).detect({
    frames: [FRAME],
    categories: ["heads"],
    subject: { requestId: "req_1", accountId: "acc_test", mediaId: "media_test" },
  });
  await expect(detection).rejects.toMatchObject({ name: "DetectionError", code, isTransient });
});

test("a category that no label stands for is refused for good", async () => {
  const detection = detectorAt("/").detect({
    frames: [FRAME],
    categories: ["passports"],
    subject: { requestId: "req_1", accountId: "acc_test", mediaId: "media_test" },
  });
  await expect(detection).rejects.toMatchObject({ code: "categories_unserved", isTransient: false });
});

test("a turned picture is masked in both readings of the endpoint's boxes", async () => {
  const exif = new Uint8Array([
    ...new TextEncoder().encode("Exif\0\0MM"),
    0,
    42,
    0,
    0,
    0,
    8,
    0,
    1,
    0x01,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    6,
    0,
    0,
    0,
    0,
    0,
    0,
  ]);
  const turned = new Uint8Array([0xff, 0xd8, 0xff, 0xe1, 0, exif.length + 2, ...exif, 0xff, 0xd9]);
  const frame: Frame = { ...FRAME, sizeBytes: turned.length, open: async () => new Blob([turned]).stream() };
  const {
    frames: [found],
  } = await detectorAt("/").detect({
    frames: [frame],
    categories: ["heads"],
    subject: { requestId: "req_1", accountId: "acc_test", mediaId: "media_test" },
  });
  // The shown picture is 120 pixels wide and 80 high. In the stored picture, its left edge is the top and its top edge is on the right.
  const [shownX, shownY, shownWidth, shownHeight] = [8 / 120, 12 / 80, 16 / 120, 24 / 80];
  const expected = [
    [0.1, 0.1, 0.2, 0.2],
    [shownY, 1 - shownX - shownWidth, shownHeight, shownWidth],
  ];
  expect(found?.detections.map(({ box }) => box.map((value) => value.toFixed(6)))).toEqual(
    expected.map((box) => box.map((value) => value.toFixed(6))),
  );
});

test.for([1, 2, 3, 4, 5, 6, 7, 8] as const)(
  "orientation %i maps the corners of a box one to one",
  (orientation) => {
    const turn = (box: Box, times: number): Box =>
      times === 0 ? box : turn(storedBox(box, orientation), times - 1);
    // Mirrors undo themselves after two turns, quarter turns after four.
    const back = turn([0.1, 0.2, 0.3, 0.15], 4).map((value) => value.toFixed(9));
    expect(back).toEqual([0.1, 0.2, 0.3, 0.15].map((value) => value.toFixed(9)));
  },
);
