import { progress, reported, type Finding } from "../lib/report.ts";
import { percentile, rounded } from "../lib/statistics.ts";
import { assumed } from "./assumptions.ts";
import { simulateBusiestHour, type HourOutcome } from "./busiest-hour.ts";
import {
  breaksAt,
  databasesFor,
  demands,
  READINGS_A_PHOTO,
  framesASegment,
  hostsFor,
  segmentsAVideo,
} from "./demand.ts";
import type { ServiceTimes } from "./service-times.ts";

/** Media a day. */
const LOADS = [10_000, 100_000, 300_000, 1_000_000, 3_000_000] as const;
/** The loads that one database can't bear are simulated once more with as many as they need. */
const DIVIDED_LOADS = [1_000_000, 3_000_000] as const;
const KEPT_MEDIA = 10_000_000;
const SEED = 35;
const SHARES = [0.5, 0.95, 0.99] as const;

/** One load's outcome. */
interface Growth extends Costs {
  readonly mediaADay: number;
  readonly databases: number;
  readonly hour: HourOutcome;
  readonly monthsUntilFull: number;
}

/** Simulates the busiest hour of each load, prints the tables, and returns the findings. */
export function simulateGrowth(times: ServiceTimes): { findings: Finding[]; details: object } {
  const outcomeOf = (mediaADay: number, databases: number): Growth => ({
    mediaADay,
    databases,
    hour: simulateBusiestHour(times, { mediaADay, databases, seed: SEED, drainMs: 0 }),
    ...costsAt(times, mediaADay),
    monthsUntilFull: monthsUntilFull(times, mediaADay) * databases,
  });
  const loads = [
    ...LOADS.map((mediaADay) => outcomeOf(mediaADay, 1)),
    ...DIVIDED_LOADS.map((mediaADay) => outcomeOf(mediaADay, databasesFor(times, mediaADay))),
  ];
  const limits = demands(times)
    .map((demand) => ({ resource: demand.resource, mediaADay: breaksAt(demand) }))
    .filter(({ mediaADay }) => Number.isFinite(mediaADay))
    .sort((a, b) => a.mediaADay - b.mediaADay);
  progress(loadTable(loads));
  const keptGigabytes = (KEPT_MEDIA * times.bytesAPhoto) / 1e9;
  return {
    findings: [
      ...limits.map(({ resource, mediaADay }) =>
        reported({
          claim: `Simulated: used up in the busiest hour: ${resource}`,
          unit: "media a day",
          measured: Number(mediaADay.toPrecision(2)),
        }),
      ),
      ...loads.flatMap(findingsOf),
      reported({
        claim: `Calculated: the database of ${KEPT_MEDIA} kept photos`,
        unit: "GB",
        measured: rounded(keptGigabytes, 1),
      }),
      reported({
        claim: "Calculated: photos that a database of 10 GB holds",
        unit: "photos",
        measured: Number((assumed("databaseBytes") / times.bytesAPhoto).toPrecision(2)),
      }),
    ],
    details: {
      times,
      limits,
    },
  };
}

function findingsOf(growth: Growth): Finding[] {
  const { mediaADay, databases, hour } = growth;
  const at = `Simulated at ${mediaADay} media a day, ${databases} ${databases === 1 ? "database" : "databases"}`;
  return [
    ...Object.entries(hour.utilization).map(([resource, share]) =>
      reported({ claim: `${at}: ${resource}`, unit: "% used", measured: rounded(100 * share, 1) }),
    ),
    ...(["quiet", "bursty"] as const).flatMap((kind) =>
      SHARES.map((share) =>
        reported({
          claim: `${at}: a photo of a ${kind} account waits, ${100 * share} %`,
          unit: "s",
          measured: rounded(percentile(hour.waitsMs[kind], share) / 1_000),
        }),
      ),
    ),
    reported({
      claim: `${at}: not completed at the end of the hour, of those sent`,
      unit: "%",
      measured: rounded((100 * (hour.unfinished + hour.refused)) / hour.sent, 1),
    }),
    reported({ claim: `${at}: GPU hosts`, unit: "hosts", measured: hour.hosts }),
    reported({ claim: `${at}: 1,000 photos`, unit: "$", measured: rounded(growth.aThousandPhotos) }),
    reported({ claim: `${at}: an hour of video`, unit: "$", measured: rounded(growth.anHourOfVideo) }),
    reported({
      claim: `${at}: until the databases are full`,
      unit: "months",
      measured: rounded(growth.monthsUntilFull),
    }),
  ];
}

/** A Markdown table with a column for each load. */
function loadTable(loads: readonly Growth[]): string {
  const columns = loads.map(findingsOf);
  const rows = (columns[0] ?? []).map(({ claim, unit }, index) => {
    const what = claim.slice(claim.indexOf(": ") + 2);
    return `| ${what} | ${columns.map((findings) => `${findings[index]?.measured} ${unit}`).join(" | ")} |`;
  });
  const head = loads
    .map(({ mediaADay, databases }) => `${mediaADay.toLocaleString("en-US")}, D1 × ${databases}`)
    .join(" | ");
  return [`| Media a day | ${head} |`, `| --- |${" --- |".repeat(loads.length)}`, ...rows].join("\n");
}

const HOURS_A_DAY = 24;
const DAYS_A_MONTH = 30;
const SECONDS_AN_HOUR = 3_600;

/** What a load costs in dollars, Cloudflare and the detector's hosts together. */
interface Costs {
  readonly aThousandPhotos: number;
  readonly anHourOfVideo: number;
}

/** The costs at a load. Hosts run day and night, and are shared by the processor time that photos and videos take of them. */
function costsAt(times: ServiceTimes, mediaADay: number): Costs {
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
function monthsUntilFull({ bytesAPhoto }: ServiceTimes, mediaADay: number): number {
  return assumed("databaseBytes") / (bytesAPhoto * mediaADay * DAYS_A_MONTH);
}
