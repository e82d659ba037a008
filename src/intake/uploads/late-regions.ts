import { lateRangeFaults } from "../../records/masking/mute-range.schemas.ts";
import type { MaskingOptions } from "../../records/masking/masking-options.ts";
import { lateFaultsOf } from "../../records/masking/region-sentences.ts";
import { validationFailed } from "../../ground/platform/errors.ts";
import type { MeasuredFile } from "./files/measure-file.ts";

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
