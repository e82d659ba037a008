import { DurableObject } from "cloudflare:workers";
import { errorFields, log } from "../../ground/platform/log.ts";

interface Window {
  readonly startMs: number;
  readonly count: number;
}

const WINDOW_KEY = "window";
const KEEP_DELAY_MS = 500;

/** The result of a hit: the requests counted in the window so far, including this one if it was counted. */
export interface WindowHit {
  readonly counted: boolean;
  readonly count: number;
}

/**
 * Counts one account's requests exactly, in fixed windows, at whichever location they arrive. Each account has one object.
 * A request past the limit is not counted, so the counter never grows beyond it.
 */
export class RateLimiter extends DurableObject {
  #window: Window | undefined;
  #isKeeping = false;
  readonly #loading: Promise<void>;

  constructor(state: DurableObjectState, bindings: Cloudflare.Env) {
    super(state, bindings);
    // Read once, before anything is counted, because a later read could overwrite a newer count.
    this.#loading = state.blockConcurrencyWhile(async () => {
      this.#window = await state.storage.get<Window>(WINDOW_KEY);
    });
  }

  /** Counts a request in the window that starts at `windowStartMs`, unless `limit` requests are counted already. */
  async hit(windowStartMs: number, limit: number): Promise<WindowHit> {
    await this.#loading;
    const window = this.#current(windowStartMs);
    if (window.count >= limit) return { counted: false, count: window.count };
    this.#window = { startMs: window.startMs, count: window.count + 1 };
    this.#keepSoon();
    return { counted: true, count: window.count + 1 };
  }

  /** Subtracts `requests` from the count of the window that starts at `windowStartMs`. Older windows are not stored. */
  async giveBack(windowStartMs: number, requests: number): Promise<void> {
    await this.#loading;
    const { startMs, count } = this.#current(windowStartMs);
    if (startMs !== windowStartMs) return;
    this.#window = { startMs, count: Math.max(0, count - requests) };
    this.#keepSoon();
  }

  /** The requests counted in the window that starts at `windowStartMs`. */
  async count(windowStartMs: number): Promise<number> {
    await this.#loading;
    return this.#current(windowStartMs).count;
  }

  /**
   * Stores the window for when the object is evicted, with one write for all hits of a moment, because a write per hit costs more than
   * everything else here. An object is evicted after seconds without requests, long after its last write.
   */
  #keepSoon(): void {
    if (this.#isKeeping) return;
    this.#isKeeping = true;
    setTimeout(() => {
      this.#isKeeping = false;
      // Waiting until the write is replicated would delay the responses.
      if (this.#window === undefined) return;
      this.ctx.storage.put(WINDOW_KEY, this.#window, { allowUnconfirmed: true }).catch((error: unknown) => {
        // The count in memory still holds; only an eviction would lose it.
        log("warn", "rate_limit.not_kept", errorFields(error));
      });
    }, KEEP_DELAY_MS);
  }

  #current(windowStartMs: number): Window {
    // A caller whose clock lags by a window is counted in the newer window. The old one is not opened again.
    if (this.#window !== undefined && this.#window.startMs >= windowStartMs) return this.#window;
    return { startMs: windowStartMs, count: 0 };
  }
}
