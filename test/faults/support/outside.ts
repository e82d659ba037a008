import { vi } from "vitest";
import { REDACTION_CATEGORIES } from "../../../src/ground/vocabulary/categories.ts";
import type { Random } from "../../support/random.ts";

const SIZE = { width: 64, height: 48 };
const HEAD = { category: "heads", confidence: 0.9, box: [0.25, 0.25, 0.5, 0.5] };
const TRUTH = { frames: [{ ...SIZE, detections: [HEAD] }], models: [] };

/** Answers that violate the protocol. None of them may lead to an output. */
const LIES: readonly (() => Response)[] = [
  () => new Response("<html>502 Bad Gateway</html>"),
  () => new Response(JSON.stringify(TRUTH).slice(0, 40)),
  () => Response.json({ frames: [], models: [] }),
  () => Response.json({ frames: [...TRUTH.frames, ...TRUTH.frames] }),
  () => Response.json({ frames: [{ width: 48, height: 64, detections: [] }] }),
  () => Response.json({ frames: [{ ...SIZE, detections: [{ ...HEAD, box: [0, 0, 7, 7] }] }] }),
  () => Response.json({ frames: [{ ...SIZE, detections: [{ ...HEAD, confidence: 2 }] }] }),
  () => Response.json({ frames: [{ ...SIZE, detections: [{ ...HEAD, category: "cats" }] }] }),
  () => Response.json({ frames: [{ ...SIZE, detections: [{ ...HEAD, box: [0.5, 0.5] }] }] }),
  () => Response.json({ frames: null }),
  () => new Response(null, { status: 204 }),
  () => Response.json({ error: {} }, { status: 422 }),
];

/** Everything outside the Workers: an inference service and a customer's endpoint, both unreliable until `heal`. */
export class Outside {
  readonly #random: Random;
  #faultShare: number;
  /** How often each event arrived, by its ID. */
  readonly received = new Map<string, number>();

  constructor(random: Random, faultShare: number) {
    this.#random = random;
    this.#faultShare = faultShare;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.pathname === "/v1/models") return this.#models();
      if (url.pathname === "/v1/detections") return await this.#detections(init?.body);
      return await this.#webhook(init?.body);
    });
  }

  heal(): void {
    this.#faultShare = 0;
  }

  get #isFaulty(): boolean {
    return this.#random.next() < this.#faultShare;
  }

  #models(): Response {
    if (this.#isFaulty) throw new TypeError("The connection was refused.");
    return Response.json({ categories: REDACTION_CATEGORIES, models: [] });
  }

  async #detections(body: BodyInit | null | undefined): Promise<Response> {
    const isFaulty = this.#isFaulty;
    const kind = this.#random.int(0, 3);
    if (isFaulty && kind === 0) throw new DOMException("The operation timed out.", "TimeoutError");
    // An unread body would keep the source's stream open.
    if (body instanceof ReadableStream) await new Response(body).arrayBuffer();
    if (!isFaulty) return Response.json(TRUTH);
    if (kind === 1) return new Response(null, { status: 503 });
    return this.#random.pick(LIES)();
  }

  async #webhook(body: BodyInit | null | undefined): Promise<Response> {
    const isFaulty = this.#isFaulty;
    const isSeen = !isFaulty || this.#random.next() < 0.5;
    if (isSeen) {
      const { id } = await new Response(body).json<{ id: string }>();
      this.received.set(id, (this.received.get(id) ?? 0) + 1);
    }
    if (!isFaulty) return new Response(null, { status: 204 });
    // The receiver may have stored the event and died before its answer.
    if (this.#random.next() < 0.5) throw new TypeError("The connection was reset.");
    return new Response(null, { status: 500 });
  }
}
