import type { Random } from "../../support/random.ts";

/** Damages a file in one to four places: bytes changed, dropped, doubled or moved, or its end cut off. */
export function mutate(random: Random, source: Uint8Array): Uint8Array {
  let bytes = [...source];
  for (let count = random.int(1, 4); count > 0; count--) {
    const at = random.int(0, Math.max(0, bytes.length - 1));
    const length = random.int(1, random.pick([1, 4, 40]));
    switch (random.int(0, 6)) {
      case 0:
        bytes[at] = random.int(0, 255);
        break;
      case 1:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(0, 7));
        break;
      case 2:
        bytes.splice(at, length);
        break;
      case 3:
        bytes.splice(at, 0, ...bytes.slice(at, at + length));
        break;
      case 4:
        bytes = bytes.slice(0, at);
        break;
      case 5:
        bytes.splice(at, 2, 0xff, random.int(0, 255));
        break;
      default:
        bytes.splice(at, 0, ...Array.from({ length }, () => random.int(0, 255)));
    }
  }
  return Uint8Array.from(bytes);
}
