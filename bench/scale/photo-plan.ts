import { assumed } from "./assumptions.ts";
import { READINGS_A_PHOTO, framesASegment, writesASegment } from "./demand.ts";
import type { ServiceTimes } from "./service-times.ts";
import type { Station, Visit } from "./station.ts";

/** The stations that jobs visit. */
export interface Resources {
  readonly database: Station;
  readonly hostProcessors: Station;
  readonly cards: Station;
  /** Cloudflare starts as many isolates as there are invocations, so nobody waits there. */
  readonly elsewhere: Station;
}

/** The steps of a medium or a part of it, in their order. A consumer is held during `claim` and `job`. */
export interface Steps {
  readonly upload: readonly Visit[];
  readonly polls: readonly Visit[];
  readonly claim: readonly Visit[];
  readonly job: readonly Visit[];
}

/** The steps of a photo: half of its transactions are its upload's, and one of the others is the claim. */
export function photoSteps(
  times: ServiceTimes,
  { database, hostProcessors, cards, elsewhere }: Resources,
): Steps {
  const { writeMs, writesAPhoto } = times;
  const reading = [
    { station: hostProcessors, ms: times.photoHostMs },
    { station: cards, ms: times.photoCardMs },
  ];
  const storage = { station: elsewhere, ms: (assumed("storageCallsOfJob") / 2) * assumed("storageCall") };
  const jobWriteMs = ((writesAPhoto / 2 - 1) / 2) * writeMs;
  return {
    upload: [
      { station: elsewhere, ms: times.uploadMs + assumed("storageCall") },
      { station: database, ms: (writesAPhoto / 2) * writeMs },
    ],
    polls: [{ station: database, ms: assumed("pollsAPhoto") * times.readMs }],
    claim: [{ station: database, ms: writeMs }],
    job: [
      storage,
      ...reading,
      { station: elsewhere, ms: times.paintMs },
      { station: database, ms: jobWriteMs },
      storage,
      ...Array.from({ length: READINGS_A_PHOTO - 1 }, () => reading).flat(),
      { station: database, ms: jobWriteMs },
    ],
  };
}

/** The steps of a video's segment: its analysis and its rendering together. */
export function segmentSteps(
  times: ServiceTimes,
  { database, hostProcessors, cards, elsewhere }: Resources,
): Steps {
  const { detected, all } = framesASegment();
  return {
    upload: [],
    polls: [],
    claim: [{ station: database, ms: times.writeMs }],
    job: [
      { station: hostProcessors, ms: detected * times.frameHostMs },
      { station: cards, ms: detected * times.frameCardMs },
      { station: elsewhere, ms: all * times.videoFrameMs },
      { station: database, ms: (writesASegment(times) - 1) * times.writeMs },
    ],
  };
}

/** The steps of an event's delivery: it is claimed, sent, and its outcome is written. */
export function webhookSteps({ writeMs }: ServiceTimes, { database, elsewhere }: Resources): Steps {
  return {
    upload: [],
    polls: [],
    claim: [{ station: database, ms: writeMs }],
    job: [
      { station: elsewhere, ms: assumed("webhookAnswer") },
      { station: database, ms: (assumed("webhookWrites") - 1) * writeMs },
    ],
  };
}
