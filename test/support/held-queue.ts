import { nowMs } from "../../src/ground/platform/clock.ts";

interface HeldPermit<Body> {
  readonly body: Body;
  readonly dueAtMs: number;
}

/** A queue whose messages are delivered only when a test does so. */
export class HeldQueue<Body = { mediaId: string; requestId: string }> {
  readonly permits: HeldPermit<Body>[] = [];

  /** The binding of the queue. */
  get binding(): Queue {
    const hold = (body: Body, delaySeconds = 0): void => {
      this.permits.push({ body, dueAtMs: nowMs() + delaySeconds * 1000 });
    };
    return {
      send: async (body: Body, options?: QueueSendOptions) => {
        hold(body, options?.delaySeconds);
        return await Promise.resolve();
      },
      sendBatch: async (batch: Iterable<MessageSendRequest<Body>>) => {
        for (const { body, delaySeconds } of batch) hold(body, delaySeconds);
        return await Promise.resolve();
      },
    } as unknown as Queue;
  }

  /** The seconds until the first permit is due; undefined if there is none. */
  get secondsLeft(): number | undefined {
    if (this.permits.length === 0) return undefined;
    return Math.max(0, Math.min(...this.permits.map(({ dueAtMs }) => dueAtMs)) - nowMs()) / 1000;
  }
}
