import { z } from "zod";
import { configOf, type DatabaseBindings } from "../../ground/platform/databases.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import type { LetterMedia } from "../../records/dead-letters/dead-letters.repository.ts";
import { buryMessage, isDeadLetterBatch } from "../../records/dead-letters/dead-letters.service.ts";
import type { DeadLetterReason } from "../../records/dead-letters/dead-letters.table.ts";
import { DATABASE_NAMES } from "../../ground/vocabulary/database-names.ts";
import type { QueueName } from "../../ground/vocabulary/queues.ts";

const FAULT_DELAY_SECONDS = 10;

/** The database whose jobs a message permits to run; none for the main one. */
const placeSchema = z.object({ database: z.enum(DATABASE_NAMES).optional() });

/** The schema, configuration and handler of one job queue. `errorEvent` is logged when handling a message fails. */
export interface JobQueue<Job, Config extends DatabaseBindings> {
  readonly queue: QueueName;
  readonly errorEvent: string;
  readonly schema: z.ZodType<Job>;
  /** As the main database sees it. */
  readonly config: Config;
  /** Whether the messages of a batch are handled concurrently or one after the other. */
  readonly isConcurrent: boolean;
  /** @param config as the database sees it that the message names */
  process(config: Config, job: Job): Promise<void>;
  /** The media item of a job, for its dead letter; null if the job is about none. */
  mediaOf(job: Job): LetterMedia | null;
}

/** Processes a batch of a queue or of its dead-letter queue. Each message is acknowledged or retried separately. */
export async function consumeJobs<Job, Config extends DatabaseBindings>(
  batch: MessageBatch,
  jobs: JobQueue<Job, Config>,
): Promise<void> {
  const isDead = isDeadLetterBatch(batch);
  const handle = async (message: Message): Promise<void> => {
    try {
      if (isDead) await bury("retries_spent", message, jobs);
      else await consume(message, jobs);
    } catch (error) {
      const { id: messageId, attempts } = message;
      log("error", jobs.errorEvent, { messageId, attempts, ...errorFields(error) });
      message.retry({ delaySeconds: FAULT_DELAY_SECONDS });
    }
  };
  if (jobs.isConcurrent) await Promise.all(batch.messages.map(handle));
  else for (const message of batch.messages) await handle(message);
}

async function consume<Job, Config extends DatabaseBindings>(
  message: Message,
  jobs: JobQueue<Job, Config>,
): Promise<void> {
  const job = jobs.schema.safeParse(message.body);
  const place = placeSchema.safeParse(message.body);
  if (!job.success || !place.success) {
    await bury("unreadable", message, jobs);
    return;
  }
  await jobs.process(configOf(jobs.config, place.data.database), job.data);
  message.ack();
}

async function bury<Job, Config extends DatabaseBindings>(
  reason: DeadLetterReason,
  message: Message,
  jobs: JobQueue<Job, Config>,
): Promise<void> {
  const job = jobs.schema.safeParse(message.body);
  const media = job.success ? jobs.mediaOf(job.data) : null;
  const { DB } = configOf(jobs.config, placeSchema.safeParse(message.body).data?.database);
  await buryMessage(DB, message, { queue: jobs.queue, reason, media });
}
