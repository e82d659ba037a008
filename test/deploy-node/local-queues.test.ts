import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Miniflare, convertV4MiniflareOptions } from "miniflare";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/lib/wrangler.ts";

const MESSAGES = 100;
const PATIENCE_MS = 120_000;

/** Records the messages of its queue in the database. */
const COLLECTOR = `export default {
  async queue({ messages, queue }, { DB }) {
    await DB.batch(messages.map(({ body }) => DB.prepare("INSERT INTO got VALUES (?, ?)").bind(queue, body.number)));
  },
};`;

const SENDER = `export default {
  async fetch(request, { JOBS, DB }) {
    await DB.prepare("CREATE TABLE got (queue TEXT, number INTEGER)").run();
    const numbers = Array.from({ length: ${MESSAGES} }, (_, number) => ({ body: { number } }));
    await JOBS.sendBatch(numbers);
    return new Response("sent");
  },
};`;

test("the video queue's messages reach the processes in turn, each message once", async () => {
  const file = join(ROOT, "scripts/local/spread-queue.worker.ts");
  const shared = { modules: true as const, compatibilityDate: "2026-06-01", d1Databases: { DB: "test" } };
  const collector = (queue: string) => ({
    ...shared,
    name: queue,
    script: COLLECTOR,
    queueConsumers: { [queue]: { maxBatchSize: 10, maxBatchTimeout: 0 } },
  });
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        { ...shared, name: "sender", script: SENDER, queueProducers: { JOBS: "jobs" } },
        {
          ...shared,
          name: "spread",
          // Like the storage process, which holds the queue, it has bindings that are not queues.
          r2Buckets: { MEDIA: "test" },
          script: stripTypeScriptTypes(await readFile(file, "utf8")),
          queueConsumers: { jobs: { maxBatchSize: 100, maxBatchTimeout: 0, maxRetries: 3 } },
          queueProducers: { "jobs-1": { queueName: "jobs-1" }, "jobs-2": { queueName: "jobs-2" } },
        },
        collector("jobs-1"),
        collector("jobs-2"),
      ],
    }),
  );
  try {
    await runtime.dispatchFetch("http://sender.test/");
    const database = await runtime.getD1Database("DB", "sender");
    const count = async () =>
      await database
        .prepare(
          "SELECT queue, count(*) AS messages, count(DISTINCT number) AS numbers FROM got GROUP BY queue ORDER BY queue",
        )
        .all();
    const until = Date.now() + PATIENCE_MS;
    const half = MESSAGES / 2;
    const expected = [
      { queue: "jobs-1", messages: half, numbers: half },
      { queue: "jobs-2", messages: half, numbers: half },
    ];
    let results: unknown[] = [];
    do {
      await delay(100);
      ({ results } = await count());
    } while (Date.now() < until && JSON.stringify(results) !== JSON.stringify(expected));
    expect(results).toEqual(expected);
  } finally {
    await runtime.dispose();
  }
});
