import type { GolombReader } from "./golomb-reader.ts";

/** A sample aspect ratio that is written out (ITU-T H.264 table E-1). */
const EXTENDED_RATIO = 255;
const MOST_SCHEDULES = 32;

/** Reads over the video usability information of a sequence parameter set (ITU-T H.264 §E.1.1). */
export function readUsability(reader: GolombReader): void {
  const hasRatio = reader.flag();
  if (hasRatio && reader.bits(8) === EXTENDED_RATIO) reader.bits(32);
  if (reader.flag()) reader.flag();
  const hasSignal = reader.flag();
  if (hasSignal) {
    reader.bits(4);
    if (reader.flag()) reader.bits(24);
  }
  if (reader.flag()) {
    reader.unsigned();
    reader.unsigned();
  }
  if (reader.flag()) {
    reader.bits(32);
    reader.bits(32);
    reader.flag();
  }
  const hasNalSchedule = reader.flag();
  if (hasNalSchedule) readSchedule(reader);
  const hasVclSchedule = reader.flag();
  if (hasVclSchedule) readSchedule(reader);
  if (hasNalSchedule || hasVclSchedule) reader.flag();
  reader.flag();
  if (!reader.flag()) return;
  reader.flag();
  for (let field = 0; field < 6; field++) reader.unsigned();
}

/** Reads over the parameters of the hypothetical decoder (ITU-T H.264 §E.1.2). */
function readSchedule(reader: GolombReader): void {
  const schedules = Math.min(reader.unsigned() + 1, MOST_SCHEDULES);
  reader.bits(8);
  for (let schedule = 0; schedule < schedules; schedule++) {
    reader.unsigned();
    reader.unsigned();
    reader.flag();
  }
  reader.bits(20);
}
