import {
  codeFaults,
  codesOfRegions,
  textsOfCodes,
  type ReasonSource,
} from "../../records/masking/mask-reasons.ts";
import { findOrder } from "../../records/masking/masking-options.repository.ts";
import type { MediaRow } from "../../records/media/media.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { FieldErrors } from "../../ground/platform/errors.ts";
import { textsOf, type ReasonTexts } from "../../records/masking/reasons.schemas.ts";
import type { RevisionOrder } from "./revision.schemas.ts";

/** The reasons of a revision's masks, whether the masks show them, and the errors of the codes in its order. */
export interface RevisionReasons {
  readonly source: ReasonSource;
  readonly burnsInReasons: boolean;
  readonly faults: FieldErrors;
}

/**
 * Reads the reasons for a revision. An order may name the codes of the account's list, and those that the revised media item
 * carries although the list no longer has them. A code that the order names gets its text of now; the others keep theirs.
 *
 * @param revision.kept the texts of the codes that the revised media item carries
 */
export async function reasonsForRevision(
  database: Database,
  {
    parent,
    order,
    kept,
  }: { readonly parent: MediaRow; readonly order: RevisionOrder; readonly kept: ReasonTexts },
): Promise<RevisionReasons> {
  const { options, reasons: list } = await findOrder(database, {
    accountId: parent.accountId,
    mediaId: parent.id,
  });
  const listed = textsOf(list);
  const regions = codesOfRegions(order.regions);
  const reasons = Object.entries(order.reasons ?? {}).flatMap(([id, code]) =>
    code === null ? [] : [[`reasons.${id}`, code] as const],
  );
  const known = { ...kept, ...listed };
  const wrong = { regions: codeFaults(regions, known), reasons: codeFaults(reasons, known) };
  const named = [...regions, ...reasons].map(([, code]) => code);
  return {
    source: { texts: { ...listed, ...kept, ...textsOfCodes(named, listed) }, defaults: list.defaults },
    burnsInReasons: order.burnsInReasons ?? options.burnsInReasons === true,
    faults: Object.fromEntries(Object.entries(wrong).filter(([, sentences]) => sentences.length > 0)),
  };
}
