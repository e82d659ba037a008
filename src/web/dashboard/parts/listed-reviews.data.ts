import type { Database } from "../../../ground/platform/database.ts";
import {
  findApprovals,
  findWaiting,
  type Approval,
} from "../../../records/review/archive-facts.repository.ts";
import { approvalOf } from "./archive.data.ts";

/** The review state that lists show, by file ID. */
export interface ListedReviews {
  /** Files that are redacted once somebody approves them. */
  readonly ready: ReadonlySet<string>;
  /** Files with a result that somebody should look at. */
  readonly toReview: ReadonlySet<string>;
  /** Who let which file pass. */
  readonly approvals: ReadonlyMap<string, Approval>;
}

export const NO_REVIEWS: ListedReviews = { ready: new Set(), toReview: new Set(), approvals: new Map() };

/** Reads what lists tell of the review of these files of an account. */
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
