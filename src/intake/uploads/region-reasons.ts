import { codeFaults, codesOfRegions, textsOfCodes } from "../../records/masking/mask-reasons.ts";
import type { MaskingOptions } from "../../records/masking/masking-options.ts";
import type { Database } from "../../ground/platform/database.ts";
import { validationFailed } from "../../ground/platform/errors.ts";
import { findReasonList } from "../../records/masking/reasons.repository.ts";
import { textsOf } from "../../records/masking/reasons.schemas.ts";

/**
 * The texts of the reasons that an upload's regions name, which are stored with it. Undefined if they name none.
 *
 * @throws VeilError 422 if the account does not have one of them
 */
export async function reasonTextsOf(
  database: Database,
  accountId: string,
  { regions }: MaskingOptions,
): Promise<MaskingOptions["reasonTexts"]> {
  const named = codesOfRegions(regions);
  if (named.length === 0) return undefined;
  const texts = textsOf(await findReasonList(database, accountId));
  const faults = codeFaults(named, texts);
  if (faults.length > 0) throw validationFailed({ regions: faults });
  return textsOfCodes(
    named.map(([, code]) => code),
    texts,
  );
}
