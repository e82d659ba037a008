import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { VeilApiError, VeilClient, VeilTimeoutError, type Media } from "../../packages/client/src/index.ts";
import {
  ScriptedService,
  answers,
  hangsUp,
  mediaItem,
  refusal,
  type Handler,
} from "./support/scripted-service.ts";

const QUEUED = mediaItem();
const COMPLETED = mediaItem({ status: "completed" });

let service: ScriptedService;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  service = new ScriptedService();
  await service.start();
});

afterEach(() => {
  vi.useRealTimers();
  service.stop();
});

function clientOf(idleTimeoutMs = 60_000): VeilClient {
  const retry = { firstDelayMs: 5, longestDelayMs: 50 };
  return new VeilClient({ baseUrl: service.baseUrl, apiKey: "veil_k", retry, idleTimeoutMs });
}

/** A service that answers after this many seconds. */
function waitsFor(seconds: number, media: Media): Handler {
  return async (request, response) => {
    vi.setSystemTime(Date.now() + seconds * 1_000);
    await answers(200, media)(request, response);
  };
}

/** The `wait` of each request; null where there was none. */
function waits(): (string | null)[] {
  return service.requests.map(({ url }) => new URL(url ?? "", "http://veil.test").searchParams.get("wait"));
}

test("one request waits until the media item has ended", async () => {
  service.script.push(waitsFor(7, COMPLETED));
  expect((await clientOf().wait(QUEUED.id)).status).toBe("completed");
  expect(waits()).toEqual(["20"]);
});

test("a media item that takes longer is asked for again at once", async () => {
  service.script.push(waitsFor(20, QUEUED), waitsFor(20, QUEUED), waitsFor(3, COMPLETED));
  await clientOf().wait(QUEUED.id);
  expect(waits()).toEqual(["20", "20", "20"]);
});

test("the service waits no longer than the caller, and half as long as an answer may take", async () => {
  service.script.push(waitsFor(20, QUEUED), waitsFor(3, QUEUED));
  const waiting = clientOf().wait(QUEUED.id, { timeoutMs: 23_000 });
  await expect(waiting).rejects.toBeInstanceOf(VeilTimeoutError);
  expect(waits()).toEqual(["20", "3"]);
  service.script.push(waitsFor(4, COMPLETED));
  await clientOf(8_000).wait(QUEUED.id);
  expect(waits().at(-1)).toBe("4");
});

test("whoever is called with each answer gets one every 5 seconds", async () => {
  service.script.push(waitsFor(5, QUEUED), waitsFor(1, COMPLETED));
  const seen: string[] = [];
  await clientOf().wait(QUEUED.id, { onPoll: ({ status }) => seen.push(status) });
  expect(waits()).toEqual(["5", "5"]);
  expect(seen).toEqual(["queued", "completed"]);
});

test("a service that refuses `wait` is polled, and not asked to wait again", async () => {
  const refused = refusal("validation_failed", { wait: ["`wait` is an unknown query parameter."] });
  service.script.push(answers(422, refused), answers(200, QUEUED), answers(200, COMPLETED));
  const client = clientOf();
  expect((await client.wait(QUEUED.id)).status).toBe("completed");
  service.script.push(answers(200, COMPLETED));
  await client.wait(QUEUED.id);
  expect(waits()).toEqual(["20", null, null, null]);
});

test("a service that ignores `wait` is polled at increasing intervals", async () => {
  const atMs: number[] = [];
  const notesTime: Handler = async (request, response) => {
    atMs.push(performance.now());
    await answers(200, atMs.length === 3 ? COMPLETED : QUEUED)(request, response);
  };
  service.script.push(notesTime, notesTime, notesTime);
  await clientOf().wait(QUEUED.id);
  const [first = 0, second = 0, third = 0] = atMs;
  expect(second - first).toBeGreaterThan(190);
  expect(third - second).toBeGreaterThan(290);
});

test.for([
  ["a proxy that ends long requests", answers(504, "<html>")],
  ["a connection that breaks", hangsUp],
])("with %s, the client polls", async ([, handler]) => {
  service.script.push(handler as Handler, answers(200, QUEUED), answers(200, COMPLETED));
  expect((await clientOf().wait(QUEUED.id)).status).toBe("completed");
  expect(waits()).toEqual(["20", null, null]);
});

test("the rate limit does not end the waiting", async () => {
  const busy = answers(429, refusal("rate_limit_exceeded"), { "Retry-After": "0" });
  service.script.push(busy, answers(200, QUEUED), waitsFor(2, COMPLETED));
  await clientOf().wait(QUEUED.id);
  expect(waits()).toEqual(["20", null, "20"]);
});

test("a media item that is gone is asked for once", async () => {
  service.script.push(answers(404, refusal("not_found")));
  await expect(clientOf().wait(QUEUED.id)).rejects.toBeInstanceOf(VeilApiError);
  expect(waits()).toEqual(["20"]);
});
