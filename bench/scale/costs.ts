import { assumed } from "./assumptions.ts";
import { READINGS_A_PHOTO, framesASegment, hostsFor, segmentsAVideo } from "./demand.ts";
import type { ServiceTimes } from "./service-times.ts";

const HOURS_A_DAY = 24;
const DAYS_A_MONTH = 30;
const SECONDS_AN_HOUR = 3_600;

/** What a load costs in dollars, Cloudflare and the detector's hosts together. */
export interface Costs {
  readonly aThousandPhotos: number;
  readonly anHourOfVideo: number;
}

/** The costs at a load. Hosts run day and night, and are shared by the processor time that photos and videos take of them. */
export function costsAt(times: ServiceTimes, mediaADay: number): Costs {
  const videos = mediaADay * assumed("videoShare");
  const photos = mediaADay - videos;
  const hoursOfVideo = (videos * assumed("videoSeconds")) / SECONDS_AN_HOUR;
  const photosMs = photos * READINGS_A_PHOTO * times.photoHostMs;
  const videosMs = videos * segmentsAVideo() * framesASegment().detected * times.frameHostMs;
  const hosts = hostsFor(times, mediaADay) * HOURS_A_DAY * assumed("hostPriceAnHour");
  const photoShare = photosMs / (photosMs + videosMs);
  return {
    aThousandPhotos: assumed("cloudflareAThousandPhotos") + (1_000 * hosts * photoShare) / photos,
    anHourOfVideo: assumed("cloudflareAnHourOfVideo") + (hosts * (1 - photoShare)) / hoursOfVideo,
  };
}

/** The months after which a database that forgets nothing is full. */
export function monthsUntilFull({ bytesAPhoto }: ServiceTimes, mediaADay: number): number {
  return assumed("databaseBytes") / (bytesAPhoto * mediaADay * DAYS_A_MONTH);
}
