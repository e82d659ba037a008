import { nowMs } from "../../../src/ground/platform/clock.ts";
import type { Random } from "../../support/random.ts";

/** How long a message stays hidden if its consumer neither acknowledges nor retries it. */
const HIDDEN_MS = 60_000;

interface Held {
  readonly id: string;
  readonly body: unknown;
  attempts: number;
  notBeforeMs: number;
}

/** The probabilities of faults, from 0 to 1. */
export interface QueueChaos {
  readonly lost: number;
  readonly doubled: number;
  readonly refused: number;
}

/** A queue that loses, doubles, delays and reorders its messages, until `heal`. */
export class UnreliableQueue {
  readonly #name: string;
  readonly #random: Random;
  #chaos: QueueChaos;
  #held: Held[] = [];
  #made = 0;

  constructor(name: string, random: Random, chaos: QueueChaos) {
    this.#name = name;
    this.#random = random;
    this.#chaos = chaos;
  }

  /** From now on, nothing is lost, doubled or refused. */
  heal(): void {
    this.#chaos = { lost: 0, doubled: 0, refused: 0 };
  }

  /** Forgets every message, as a local queue does when its process ends. */
  forgetAll(): void {
    this.#held = [];
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** The binding with which Workers send messages. */
  get producer(): object {
    return {
      send: async (body: unknown) => {
        this.#take(body);
        return await Promise.resolve();
      },
      sendBatch: async (messages: Iterable<{ body: unknown }>) => {
        for (const { body } of messages) this.#take(body);
        return await Promise.resolve();
      },
    };
  }

  /** A batch of up to `most` due messages in any order; undefined if none is due. */
  batch(most: number): MessageBatch | undefined {
    const due = this.#held.filter(({ notBeforeMs }) => notBeforeMs <= nowMs());
    const taken: Held[] = [];
    while (taken.length < most && due.length > 0) {
      taken.push(...due.splice(this.#random.int(0, due.length - 1), 1));
    }
    if (taken.length === 0) return undefined;
    const messages = taken.map((held) => this.#messageOf(held));
    return {
      queue: this.#name,
      metadata: { metrics: { backlogCount: this.#held.length, backlogBytes: 0 } },
      messages,
      ackAll: () => {
        for (const message of messages) message.ack();
      },
      retryAll: () => {
        for (const message of messages) message.retry();
      },
    };
  }

  #take(body: unknown): void {
    if (this.#random.next() < this.#chaos.refused) throw new Error("The queue is not available.");
    if (this.#random.next() < this.#chaos.lost) return;
    const copies = this.#random.next() < this.#chaos.doubled ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      this.#made += 1;
      const plain: unknown = JSON.parse(JSON.stringify(body));
      this.#held.push({ id: `${this.#name}-${this.#made}`, body: plain, attempts: 0, notBeforeMs: nowMs() });
    }
  }

  #messageOf(held: Held): Message {
    held.attempts += 1;
    held.notBeforeMs = nowMs() + HIDDEN_MS;
    return {
      id: held.id,
      timestamp: new Date(nowMs()),
      body: held.body,
      attempts: held.attempts,
      ack: () => {
        // Sometimes the acknowledgment is lost.
        if (this.#random.next() >= this.#chaos.doubled)
          this.#held = this.#held.filter((other) => other !== held);
      },
      retry: (options?: QueueRetryOptions) => {
        held.notBeforeMs = nowMs() + (options?.delaySeconds ?? 0) * 1000;
      },
    };
  }
}
