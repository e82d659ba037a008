import type { Database } from "../../../ground/platform/database.ts";
import {
  findApprovals,
  findWaiting,
  type Approval,
} from "../../../records/review/archive-facts.repository.ts";
import { approvalOf } from "./archive.data.ts";

/** The review state that lists show, by file ID. */
export interface ListedReviews {
  /** Files that will be redacted once they are approved. */
  readonly ready: ReadonlySet<string>;
  /** Files with a result that a person should review. */
  readonly toReview: ReadonlySet<string>;
  /** The approvals, by file ID. */
  readonly approvals: ReadonlyMap<string, Approval>;
}

export const NO_REVIEWS: ListedReviews = { ready: new Set(), toReview: new Set(), approvals: new Map() };

/** Reads the review state of these files for a list. */
export async function listedReviews(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<ListedReviews> {
  const [waiting, approvals] = await Promise.all([
    findWaiting(database, accountId, ids),
    findApprovals(database, accountId, ids),
  ]);
  return {
    ready: new Set(waiting.filter(({ isUnredacted }) => isUnredacted).map(({ id }) => id)),
    toReview: new Set(waiting.filter(({ isUnredacted }) => !isUnredacted).map(({ id }) => id)),
    approvals: new Map(
      ids.flatMap((id) => {
        const approval = approvalOf(id, approvals);
        return approval === undefined ? [] : [[id, approval]];
      }),
    ),
  };
}
