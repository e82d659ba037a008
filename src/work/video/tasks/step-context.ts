import { StoredDataError } from "../../../ground/platform/stored-data.ts";
import type { MediaOwnership, MediaRow } from "../../../records/media/media.repository.ts";
import type { MaskingOrder } from "../../../records/masking/masking-options.repository.ts";
import type { VideoEnv } from "../../../ground/platform/env.ts";
import { SECOND_MS } from "../../../ground/platform/clock.ts";
import { PLAN_NAME, segmentName, workKey, getJson } from "../../../records/video-tasks/video.objects.ts";
import type { ClaimedTask } from "../../../records/video-tasks/video-tasks.repository.ts";
import type { TaskKind } from "../../../records/video-tasks/video-tasks.table.ts";
import type { Database } from "../../../ground/platform/database.ts";
import { videoPlanSchema, type VideoPlan, type VideoSegment } from "./video-plan.ts";

/** The detector's breaker, before and after a call. */
interface StepBreaker {
  /** @throws DetectionError if the call may not be made now */
  readonly assertMayCall: () => Promise<void>;
  readonly countAnswer: () => Promise<void>;
}

/** The data and bindings that each step of a video's job needs. */
export interface StepContext {
  readonly config: VideoEnv;
  readonly database: Database;
  readonly row: MediaRow;
  /** The request, and the media items whose source and analysis are used. */
  readonly order: MaskingOrder;
  readonly task: ClaimedTask;
  /** Aborted when the task's lease is lost or its media item is gone. */
  readonly signal: AbortSignal;
  /** How a step that is claimed regardless of the detector's breaker reports its calls. */
  readonly breaker: StepBreaker;
}

/** Counts and measures of a step, for its log line. */
export type StepMeasures = Readonly<Record<string, number>>;

/**
 * How long the engine may take for a segment. A consumer has fifteen minutes for a batch (Cloudflare Queues' limits). The rest
 * is for storing the results or giving the task back.
 */
export const ENGINE_TIMEOUT_MS = 12 * 60 * SECOND_MS;

/** The plan of the video that this isolate processed last. It lists every frame, and every segment needs it. */
let lastPlan: { readonly mediaId: string; readonly plan: VideoPlan } | undefined;

/** The plan that the analysis used. */
export async function loadPlan({ config, order }: StepContext): Promise<VideoPlan> {
  const { analysis } = order;
  if (lastPlan?.mediaId === analysis.mediaId) return lastPlan.plan;
  const plan = await loadStoredPlan(config.MEDIA, analysis);
  lastPlan = { mediaId: analysis.mediaId, plan };
  return plan;
}

/** Loads the plan of a video while it is stored. @throws StoredDataError when it is gone or cannot be read */
export async function loadStoredPlan(bucket: R2Bucket, owned: MediaOwnership): Promise<VideoPlan> {
  return await getJson(bucket, workKey(owned, PLAN_NAME), videoPlanSchema);
}

/** The task's segment of the plan. */
export function segmentOf({ task }: StepContext, plan: VideoPlan): VideoSegment {
  const segment = plan.segments[task.segment];
  if (segment === undefined) throw new StoredDataError(`The plan has no segment ${task.segment}.`);
  return segment;
}

/** The key under which this attempt at a segment's task stores a result. */
export function resultKey({ row, task }: StepContext, kind: TaskKind, name: string): string {
  const owned = { accountId: row.accountId, mediaId: row.id };
  return workKey(owned, `${segmentName(kind, task.segment, task.attempts)}/${name}`);
}
