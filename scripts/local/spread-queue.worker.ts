/** Where a queue's messages can go on to. */
interface Onward {
  send(body: unknown): Promise<unknown>;
}

interface Message {
  readonly body: unknown;
  ack(): void;
  retry(options: { readonly delaySeconds: number }): void;
}

interface Batch {
  readonly messages: readonly Message[];
}

/** A process that is starting again cannot be sent to for a moment. */
const RETRY_DELAY_SECONDS = 1;

let turn = 0;

/**
 * Hands the messages of one queue to several others in turn. The simulated queue gives a consumer one batch at a time;
 * Cloudflare starts as many consumers as the backlog asks for. The Worker has other bindings too, which nothing can be sent to.
 */
export default {
  async queue({ messages }: Batch, bindings: Readonly<Record<string, object>>): Promise<void> {
    const queues = Object.values(bindings).filter(isQueue);
    for (const message of messages) {
      try {
        await queues[turn++ % queues.length]?.send(message.body);
        message.ack();
      } catch (error) {
        // A message that cannot be sent on must not take those along that were.
        const time = new Date().toISOString();
        const faultMessage = String(error);
        console.warn(JSON.stringify({ time, level: "warn", event: "permit.not_spread", faultMessage }));
        message.retry({ delaySeconds: RETRY_DELAY_SECONDS });
      }
    }
  },
};

function isQueue(binding: object): binding is Onward {
  return "sendBatch" in binding;
}
