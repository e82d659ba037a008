import type { DbTextOutputs, DenseOutputs, Outputs } from "./outputs.ts";
import { decodeLpdYunet } from "./lpd-yunet.ts";
import { decodePicodet } from "./picodet.ts";
import { decodeUltraface } from "./ultraface.ts";
import { decodeYolox } from "./yolox.ts";
import { decodeYunet } from "./yunet.ts";
import type { Candidate, PublishedAnswer } from "./published-answer.ts";

/** Reads the answer of a published detector in the detector's own format. */
export function decodePublished(
  outputs: Exclude<Outputs, DenseOutputs | DbTextOutputs>,
  answer: PublishedAnswer,
): Candidate[] {
  switch (outputs.kind) {
    case "yunet":
      return decodeYunet(outputs, answer);
    case "ultraface":
      return decodeUltraface(outputs, answer);
    case "yolox":
      return decodeYolox(outputs, answer);
    case "picodet":
      return decodePicodet(outputs, answer);
    case "lpd_yunet":
      return decodeLpdYunet(outputs, answer);
  }
}
