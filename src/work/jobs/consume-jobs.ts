import type { z } from "zod";
import { errorFields, log } from "../../ground/platform/log.ts";
import type { LetterMedia } from "../../records/dead-letters/dead-letters.repository.ts";
import { buryMessage, isDeadLetterBatch } from "../../records/dead-letters/dead-letters.service.ts";
import type { DeadLetterReason } from "../../records/dead-letters/dead-letters.table.ts";
import type { QueueName } from "../../ground/vocabulary/queues.ts";

const FAULT_DELAY_SECONDS = 10;

/** The schema, database and handler of one job queue. `errorEvent` is logged when handling a message fails. */
export interface JobQueue<Job> {
  readonly queue: QueueName;
  readonly errorEvent: string;
  readonly schema: z.ZodType<Job>;
  readonly database: D1Database;
  /** Whether the messages of a batch are handled concurrently or one after the other. */
  readonly isConcurrent: boolean;
  process(job: Job): Promise<void>;
  /** The media item of a job, for its dead letter; null if the job is about none. */
  mediaOf(job: Job): LetterMedia | null;
}

/** Processes a batch of a queue or of its dead-letter queue. Each message is acknowledged or retried separately. */
export async function consumeJobs<Job>(batch: MessageBatch, jobs: JobQueue<Job>): Promise<void> {
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

async function consume<Job>(message: Message, jobs: JobQueue<Job>): Promise<void> {
  const job = jobs.schema.safeParse(message.body);
  if (!job.success) {
    await bury("unreadable", message, jobs);
    return;
  }
  await jobs.process(job.data);
  message.ack();
}

async function bury<Job>(reason: DeadLetterReason, message: Message, jobs: JobQueue<Job>): Promise<void> {
  const job = jobs.schema.safeParse(message.body);
  const media = job.success ? jobs.mediaOf(job.data) : null;
  await buryMessage(jobs.database, message, { queue: jobs.queue, reason, media });
}
