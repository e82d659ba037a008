import { assumed } from "./assumptions.ts";
import type { ServiceTimes } from "./service-times.ts";

const DAY_SECONDS = 86_400;
/** A photo is read twice, the second time when it's painted: docs/verification.md. */
export const READINGS_A_PHOTO = 2;

/** The segments of a video of the assumed length. */
export function segmentsAVideo(): number {
  return assumed("videoSeconds") / assumed("segmentSeconds");
}

/** The frames of a segment that the detector looks at, and all of them. */
export function framesASegment(): { detected: number; all: number } {
  const seconds = assumed("segmentSeconds");
  return {
    detected: seconds * assumed("detectedFramesASecond"),
    all: (seconds * assumed("framesAnHour")) / 3_600,
  };
}

/** The write transactions of a segment's jobs: as many a job as a photo's job has. */
export function writesASegment({ writesAPhoto }: ServiceTimes): number {
  return (writesAPhoto / 2) * assumed("jobsASegment");
}

/** What one resource does for an average medium. A hundred of them hold the assumed share of videos. */
export interface Demand {
  readonly resource: string;
  /** Milliseconds of one server, or messages, for a medium. */
  readonly aMedium: number;
  /** Milliseconds of all servers, or messages, that there are in a second. Undefined if more can be bought. */
  readonly aSecond: number | undefined;
}

/** How long a photo's job holds its consumer if it waits nowhere, in milliseconds. */
function photoJobMs(times: ServiceTimes): number {
  const { writeMs, writesAPhoto, photoCardMs, photoHostMs, paintMs } = times;
  const storageMs = assumed("storageCallsOfJob") * assumed("storageCall");
  return (writesAPhoto / 2) * writeMs + READINGS_A_PHOTO * (photoCardMs + photoHostMs) + storageMs + paintMs;
}

/** How long the jobs of a segment hold their consumer, in milliseconds. */
function segmentJobMs(times: ServiceTimes): number {
  const { detected, all } = framesASegment();
  const readMs = detected * (times.frameCardMs + times.frameHostMs);
  return writesASegment(times) * times.writeMs + readMs + all * times.videoFrameMs;
}

/** The demand on every resource: the sum over what `photo-plan.ts` simulates step by step. */
export function demands(times: ServiceTimes): Demand[] {
  const videos = assumed("videoShare");
  const photos = 1 - videos;
  const segments = videos * segmentsAVideo();
  const { detected } = framesASegment();
  const consumers = assumed("consumersAtOnce") * 1_000;
  const webhooks = assumed("webhookShare");
  const writes =
    photos * times.writesAPhoto + segments * writesASegment(times) + webhooks * assumed("webhookWrites");
  const frames = segments * detected;
  return [
    {
      resource: "D1",
      aMedium: writes * times.writeMs + assumed("pollsAPhoto") * times.readMs,
      aSecond: 1_000,
    },
    { resource: "Consumers of photos", aMedium: photos * photoJobMs(times), aSecond: consumers },
    { resource: "Consumers of videos", aMedium: segments * segmentJobMs(times), aSecond: consumers },
    {
      resource: "Consumers of webhooks",
      aMedium: webhooks * (assumed("webhookAnswer") + assumed("webhookWrites") * times.writeMs),
      aSecond: consumers,
    },
    { resource: "Queue of photos, messages", aMedium: photos, aSecond: assumed("queueMessagesASecond") },
    {
      resource: "Processors of the detector's hosts",
      aMedium: photos * READINGS_A_PHOTO * times.photoHostMs + frames * times.frameHostMs,
      aSecond: undefined,
    },
    {
      resource: "Cards",
      aMedium: photos * READINGS_A_PHOTO * times.photoCardMs + frames * times.frameCardMs,
      aSecond: undefined,
    },
  ];
}

/** The media a second in the busiest hour of a day with so many media. */
export function peakASecond(mediaADay: number): number {
  return (mediaADay / DAY_SECONDS) * assumed("peak");
}

/** The media a day at which a resource is used up in the busiest hour. Infinite if more can be bought. */
export function breaksAt({ aMedium, aSecond }: Demand): number {
  if (aSecond === undefined) return Number.POSITIVE_INFINITY;
  return (aSecond / aMedium / assumed("peak")) * DAY_SECONDS;
}

/** How many hosts with one card each are needed for the busiest hour: by their processors or by their cards, whichever is more. */
export function hostsFor(times: ServiceTimes, mediaADay: number): number {
  const needed = demands(times)
    .filter(({ aSecond }) => aSecond === undefined)
    .map(({ resource, aMedium }) => {
      const servers = resource === "Cards" ? 1 : assumed("hostProcessors");
      return (peakASecond(mediaADay) * aMedium) / 1_000 / servers / assumed("mostUtilization");
    });
  return Math.max(1, Math.ceil(Math.max(...needed)));
}

/** How many databases with one writer each the busiest hour needs. */
export function databasesFor(times: ServiceTimes, mediaADay: number): number {
  const limit = Math.min(
    ...demands(times)
      .filter(({ resource }) => resource === "D1")
      .map(breaksAt),
  );
  return Math.ceil(mediaADay / limit / assumed("mostUtilization"));
}
