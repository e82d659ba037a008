import { codeFaults, codesOfRegions, textsOfCodes } from "../../records/masking/mask-reasons.ts";
import type { MaskingOptions } from "../../records/masking/masking-options.ts";
import type { Database } from "../../ground/platform/database.ts";
import { validationFailed } from "../../ground/platform/errors.ts";
import { findReasonList } from "../../records/masking/reasons.repository.ts";
import { textsOf } from "../../records/masking/reasons.schemas.ts";
import { lateRangeFaults } from "../../records/masking/mute-range.schemas.ts";
import { lateFaultsOf } from "../../records/masking/region-sentences.ts";
import type { MeasuredFile } from "./files/measure-file.ts";

/**
 * Returns the texts of the reasons that an upload's regions name. The upload stores them. Undefined if its regions name no reason.
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

/**
 * Refuses regions and muted ranges that begin after the end of a video. Its duration is known only after the file is stored.
 *
 * @throws VeilError 422
 */
export function refuseLateRegions(
  { regions, ignoreRegions, muteRanges }: Pick<MaskingOptions, "regions" | "ignoreRegions" | "muteRanges">,
  { durationSeconds }: Pick<MeasuredFile, "durationSeconds">,
): void {
  const faults = {
    regions: lateFaultsOf("regions", regions, durationSeconds),
    ignore_regions: lateFaultsOf("ignore_regions", ignoreRegions, durationSeconds),
    mute_ranges: lateRangeFaults("mute_ranges", muteRanges, durationSeconds),
  };
  const found = Object.entries(faults).filter(([, sentences]) => sentences.length > 0);
  if (found.length > 0) throw validationFailed(Object.fromEntries(found));
}
