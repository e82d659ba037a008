/** Where a queue's messages can go on to. */
interface Onward {
  send(body: unknown): Promise<unknown>;
}

interface Batch {
  readonly messages: readonly { readonly body: unknown }[];
}

let turn = 0;

/**
 * Hands the messages of one queue to several others in turn. The simulated queue gives a consumer one batch at a time;
 * Cloudflare starts as many consumers as the backlog asks for.
 */
export default {
  async queue({ messages }: Batch, onward: Readonly<Record<string, Onward>>): Promise<void> {
    const queues = Object.values(onward);
    for (const { body } of messages) await queues[turn++ % queues.length]?.send(body);
  },
};
