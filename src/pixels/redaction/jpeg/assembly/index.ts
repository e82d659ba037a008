export {
  CLASS_ROWS,
  classes,
  CLASSES_BYTES,
  classFlags,
  coefficients,
  input,
  INPUT_BYTES,
  inputState,
  output,
  OUTPUT_BYTES,
  outputState,
} from "./memory";
export { prepareCopies } from "./copies";
export { preparePairs } from "./pairs";
export { TABLE_BYTES, tables } from "./tables";
export {
  beginScan,
  blankUnits,
  codeUnits,
  endInterval,
  isDamaged,
  restart,
  setSlot,
  startRow,
} from "./units";
