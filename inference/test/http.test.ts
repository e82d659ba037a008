import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerOf, errorOf } from "./support/answer.ts";
import { encode, squaresOnBlack } from "./support/pictures.ts";
import { formOf, startTestService, TOKEN, type TestService } from "./support/service.ts";

const size = { width: 128, height: 96 };
let service: TestService;
let frame: Uint8Array;

beforeAll(async () => {
  service = await startTestService({
    env: {
      MAX_FRAMES: "3",
      MAX_FRAME_BYTES: "20000",
      MAX_REQUEST_BYTES: "50000",
      MAX_FRAME_PIXELS: "2100000",
    },
  });
  frame = await encode(squaresOnBlack(128, 96, [{ x: 40, y: 24, side: 8 }]), size);
});

afterAll(async () => service.stop());

const bearer = { authorization: `Bearer ${TOKEN}` };

describe("answers", () => {
  it("are boxes in shares of the stored pixels, with the models that ran", async () => {
    const response = await service.detect({ categories: ["heads"] }, [frame]);
    expect(response.status).toBe(200);
    const { frames, models } = await answerOf(response);
    expect(frames).toEqual([
      {
        width: 128,
        height: 96,
        detections: [{ category: "heads", confidence: 1, box: [0.3125, 0.25, 0.0625, 0.08333] }],
      },
    ]);
    expect(models.map(({ id }) => id)).toEqual(["tiny"]);
  });

  it("keep the order of the frames and accept every encoding", async () => {
    const sizes = [64, 96, 128];
    const frames = await Promise.all(
      (["webp", "jpeg", "png"] as const).map(async (encoding, i) => {
        const side = sizes[i] ?? 64;
        return encode(squaresOnBlack(side, side, []), { width: side, height: side }, encoding);
      }),
    );
    const answer = await answerOf(await service.detect({ categories: ["heads"] }, frames));
    expect(answer.frames.map(({ width }) => width)).toEqual(sizes);
  });

  it("name only the models that the categories need", async () => {
    const codes = await answerOf(await service.detect({ categories: ["qr_codes"] }, [frame]));
    expect(codes.models.map(({ id }) => id)).toEqual(["zxing-wasm"]);
    const both = await answerOf(await service.detect({ categories: ["barcodes", "heads"] }, [frame]));
    expect(both.models.map(({ id }) => id)).toEqual(["tiny", "zxing-wasm"]);
  });

  it("follow min_confidence", async () => {
    const dim = squaresOnBlack(128, 96, [{ x: 40, y: 24, side: 8 }]).map((value) =>
      value === 255 ? 222 : 0,
    );
    const picture = await encode(dim, size);
    const countAt = async (minimum?: number): Promise<number | undefined> => {
      const request = { categories: ["heads"], ...(minimum !== undefined && { min_confidence: minimum }) };
      return (await answerOf(await service.detect(request, [picture]))).frames[0]?.detections.length;
    };
    expect(await countAt()).toBe(0);
    expect(await countAt(0.3)).toBe(1);
    expect(await countAt(0)).toBe(1);
    expect(await countAt(0.45)).toBe(0);
  });

  it("take the parts in any order", async () => {
    const form = new FormData();
    form.append("frames", new Blob([Uint8Array.from(frame)]));
    form.append("request", JSON.stringify({ categories: ["heads"] }));
    const init = { method: "POST", body: form, headers: bearer };
    expect((await fetch(`${service.url}/v1/detections`, init)).status).toBe(200);
  });
});

describe("authorization", () => {
  it.each(["", "Bearer ", "Bearer wrong", `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, TOKEN])(
    "refuses %j",
    async (header) => {
      const response = await service.detect({ categories: ["heads"] }, [frame], {
        headers: { authorization: header },
      });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect((await errorOf(response)).error.code).toBe("unauthorized");
    },
  );

  it("guards the list of models", async () => {
    expect((await fetch(`${service.url}/v1/models`)).status).toBe(401);
    const response = await fetch(`${service.url}/v1/models`, { headers: bearer });
    expect(await response.json()).toMatchObject({
      categories: ["heads", "writing", "qr_codes", "barcodes"],
      models: [{ id: "tiny", device: "cpu", licence: "Apache-2.0" }, { id: "zxing-wasm" }],
      thresholds: {
        low: { qr_codes: 0.7, barcodes: 0.7 },
        normal: { heads: 0.5, qr_codes: 0.5, barcodes: 0.5 },
        high: { qr_codes: 0.3, barcodes: 0.3 },
      },
    });
  });
});

describe("request ids", () => {
  it("are echoed", async () => {
    const headers = { ...bearer, "x-request-id": "req_42" };
    const response = await service.detect({ categories: [] }, [frame], { headers });
    expect(response.headers.get("x-request-id")).toBe("req_42");
    expect((await errorOf(response)).request_id).toBe("req_42");
  });

  it("are made where there is none, or none to be trusted in a log", async () => {
    const response = await fetch(`${service.url}/healthz`, { headers: { "x-request-id": "a b" } });
    expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f-]{36}$/);
  });
});

async function refused(request: unknown, frames: readonly Uint8Array[]): Promise<Record<string, string[]>> {
  const response = await service.detect(request, frames);
  expect(response.status).toBe(422);
  const { error } = await errorOf(response);
  expect(error.code).toBe("validation_failed");
  return error.details;
}

describe("wrong requests", () => {
  it("name every field at once", async () => {
    const details = await refused(
      { categories: ["faces"], min_confidence: 2, single_look: "yes", colour: 1 },
      [],
    );
    expect(Object.keys(details).toSorted()).toEqual([
      "categories",
      "frames",
      "min_confidence",
      "request",
      "single_look",
    ]);
    expect(details["categories"]?.[0]).toContain('found: "faces"');
    expect(details["categories"]?.[0]).toContain("license_plates");
  });

  it("say which categories can be served", async () => {
    const { categories } = await refused({ categories: ["heads", "tattoos"] }, [frame]);
    expect(categories).toEqual([
      "No model loaded here serves tattoos. These can be served: heads, writing, qr_codes, barcodes.",
    ]);
  });

  it.each([[null], [[]], ["heads"], [{}], [{ categories: [] }], [{ categories: "heads" }]])(
    "refuse %j",
    async (request) => {
      await refused(request, [frame]);
    },
  );

  it("need the part request exactly once, as JSON", async () => {
    for (const parts of [[], ["{"], ["{}", "{}"], ["\u0000"]]) {
      const form = new FormData();
      for (const part of parts) form.append("request", part);
      form.append("frames", new Blob([Uint8Array.from(frame)]));
      const response = await fetch(`${service.url}/v1/detections`, {
        method: "POST",
        body: form,
        headers: bearer,
      });
      expect(response.status).toBe(422);
      expect(Object.keys((await errorOf(response)).error.details)).not.toHaveLength(0);
    }
  });

  it("accept no other parts", async () => {
    const form = formOf({ categories: ["heads"] }, [frame]);
    form.append("callback", "x");
    const response = await fetch(`${service.url}/v1/detections`, {
      method: "POST",
      body: form,
      headers: bearer,
    });
    expect((await errorOf(response)).error.message).toContain('"callback"');
  });

  it.each([
    ["application/json", "{}"],
    ["multipart/form-data", "--x--"],
    ["multipart/form-data; boundary=x", ""],
    ["multipart/form-data; boundary=x", "--y\r\n\r\n--y--"],
    ["multipart/form-data; boundary=x", '--x\r\nContent-Disposition: form-data; name="request"\r\n\r\n{}'],
    ["multipart/form-data; boundary=x", `--x\r\nContent-Disposition: ${"a".repeat(9000)}\r\n\r\n{}\r\n--x--`],
  ])("refuse a body of type %s", async (contentType, body) => {
    const headers = { ...bearer, "content-type": contentType };
    const response = await fetch(`${service.url}/v1/detections`, { method: "POST", body, headers });
    expect(response.status).toBe(422);
    await errorOf(response);
  });

  it("name the frame that does not decode, and each of several", async () => {
    const broken = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
    const { frames } = await refused({ categories: ["heads"] }, [broken, frame, new Uint8Array([1, 2, 3])]);
    expect(frames).toHaveLength(2);
    expect(frames?.[0]).toMatch(/^frames\[0\] begins like a JPEG/);
    expect(frames?.[1]).toMatch(/^frames\[2\] is not a picture/);
  });
});

describe("limits", () => {
  it("hold for the number of frames", async () => {
    const { error } = await errorOf(
      await service.detect({ categories: ["heads"] }, [frame, frame, frame, frame]),
    );
    expect(error.details["frames"]).toEqual(['1 to 3 parts "frames" are accepted; found: 4.']);
  });

  it("hold for the bytes of a frame", async () => {
    const { error } = await errorOf(
      await service.detect({ categories: ["heads"] }, [frame, new Uint8Array(20_001)]),
    );
    expect(error.details["frames"]).toEqual(["frames[1] has 20001 bytes; at most 20000 are accepted."]);
  });

  it("hold for the pixels of a frame, by its header alone", async () => {
    const black = await encode(squaresOnBlack(2000, 1100, []), { width: 2000, height: 1100 });
    const { error } = await errorOf(await service.detect({ categories: ["heads"] }, [black]));
    expect(error.details["frames"]?.[0]).toContain("2000 × 1100 = 2200000 pixels; at most 2100000");
  });

  it.each([true, false])("hold for the whole body, its length declared: %s", async (isDeclared) => {
    const bytes = new Uint8Array(60_000);
    const body = isDeclared ? bytes : ReadableStream.from([bytes]);
    const response = await fetch(`${service.url}/v1/detections`, {
      method: "POST",
      body,
      duplex: "half",
      headers: { ...bearer, "content-type": "multipart/form-data; boundary=x" },
    });
    expect(response.status).toBe(413);
    expect((await errorOf(response)).error.code).toBe("payload_too_large");
  });
});

describe("operation", () => {
  it("says that it lives and is ready", async () => {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });

  it("shows what it measured", async () => {
    await service.detect({ categories: ["heads"] }, [frame]);
    const text = await (await fetch(`${service.url}/metrics`)).text();
    for (const name of [
      "request_seconds_count",
      "frames_total",
      "model_seconds_count",
      "batch_views_count",
      "queue_views",
    ]) {
      expect(text).toContain(`veil_${name}`);
    }
    expect(text).toMatch(/veil_buffered_bytes 0\n/);
  });

  it("knows no other address", async () => {
    const response = await fetch(`${service.url}/nothing`);
    expect(response.status).toBe(404);
    expect((await errorOf(response)).error.code).toBe("not_found");
  });
});
