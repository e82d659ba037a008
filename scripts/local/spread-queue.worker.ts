/** The queues to which messages can be forwarded. */
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

/** A process that is restarting cannot receive messages for a moment. */
const RETRY_DELAY_SECONDS = 1;

let turn = 0;

/**
 * Forwards the messages of one queue to several others in turn. The simulated queue gives a consumer one batch at a time, but Cloudflare
 * starts as many consumers as the backlog needs. The Worker also has bindings that are not queues.
 */
export default {
  async queue({ messages }: Batch, bindings: Readonly<Record<string, object>>): Promise<void> {
    const queues = Object.values(bindings).filter(isQueue);
    for (const message of messages) {
      try {
        await queues[turn++ % queues.length]?.send(message.body);
        message.ack();
      } catch (error) {
        // A message that cannot be forwarded must not cause forwarded ones to be repeated.
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
