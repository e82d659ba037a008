import { PLAN_SHARES } from "../../src/work/jobs/plan-shares.ts";
import { randomNumbers } from "../lib/random-numbers.ts";
import { scheduleArrivals, type Sender } from "./arrivals.ts";
import { assumed } from "./assumptions.ts";
import { Consumers } from "./consumers.ts";
import { hostsFor, peakASecond, segmentsAVideo } from "./demand.ts";
import { EventQueue } from "./event-queue.ts";
import { photoSteps, segmentSteps, webhookSteps, type Resources, type Steps } from "./photo-plan.ts";
import type { ServiceTimes } from "./service-times.ts";
import { Station, serviceMs, visitAll } from "./station.ts";

/** What happened in a simulated busiest hour. Waits are in milliseconds: what a photo took beyond its own work. */
export interface HourOutcome {
  readonly sent: number;
  readonly refused: number;
  readonly completed: number;
  readonly webhooks: number;
  /** Photos whose upload or job had not ended when the hour was over. */
  readonly unfinished: number;
  readonly hosts: number;
  readonly waitsMs: Readonly<Record<Sender["kind"], readonly number[]>>;
  readonly utilization: Readonly<Record<string, number>>;
}

const HOUR_MS = 3_600_000;
/** An hour with few photos is held for longer, so that its percentiles mean something. */
const FEWEST_MEDIA = 20_000;
const MOST_HOURS = 24;

/**
 * Simulates the busiest hour of a day with so many media. The hosts of the detector are as many as the load needs; everything
 * else has Cloudflare's limits.
 *
 * @param databases how many writers share the load evenly; the service has one
 * @param drainMs how long the service continues after the hour to finish the remaining jobs
 */
export function simulateBusiestHour(
  times: ServiceTimes,
  {
    mediaADay,
    databases,
    seed,
    drainMs,
  }: { mediaADay: number; databases: number; seed: number; drainMs: number },
): HourOutcome {
  const events = new EventQueue();
  const random = randomNumbers(seed);
  const hosts = hostsFor(times, mediaADay);
  const hourMs = HOUR_MS * Math.min(MOST_HOURS, Math.max(1, FEWEST_MEDIA / 3_600 / peakASecond(mediaADay)));
  const resources: Resources = {
    database: new Station(events, "D1", databases),
    hostProcessors: new Station(
      events,
      "Processors of the detector's hosts",
      hosts * assumed("hostProcessors"),
    ),
    cards: new Station(events, "Cards", hosts),
    elsewhere: new Station(events, "Isolates and R2", Number.POSITIVE_INFINITY),
  };
  const queueOf = (claimSteps: Steps["claim"], jobsAPermit: number): Consumers =>
    new Consumers(events, {
      atOnce: assumed("consumersAtOnce"),
      deliveryMs: assumed("queueDelivery"),
      claim: claimSteps,
      jobsAPermit,
      permitMs: assumed("permit"),
    });
  const photo = photoSteps(times, resources);
  const segment = segmentSteps(times, resources);
  const webhook = webhookSteps(times, resources);
  const images = queueOf(photo.claim, assumed("imagesAPermit"));
  const videos = queueOf(segment.claim, 1);
  const webhooks = queueOf(webhook.claim, assumed("imagesAPermit"));
  const counts = { sent: 0, refused: 0, completed: 0, webhooks: 0 };
  const waitsMs: Record<Sender["kind"], number[]> = { quiet: [], bursty: [] };
  const places = new Map(
    (["quiet", "bursty"] as const).map((kind) => [
      kind,
      kind === "quiet" ? PLAN_SHARES.Scale : PLAN_SHARES.Enterprise,
    ]),
  );
  const turnsOf = (sender: Sender) => {
    const { weight, mostAtOnce } = places.get(sender.kind) ?? PLAN_SHARES.Free;
    return {
      images: images.turns.join({ weight, mostAtOnce: mostAtOnce.images }),
      videos: videos.turns.join({ weight, mostAtOnce: mostAtOnce.videos }),
      webhooks: webhooks.turns.join({ weight, mostAtOnce: mostAtOnce.webhooks }),
    };
  };
  const ownMs =
    serviceMs(photo.upload) + assumed("queueDelivery") + serviceMs(photo.claim) + serviceMs(photo.job);

  scheduleArrivals(events, { random, mediaASecond: peakASecond(mediaADay), untilMs: hourMs }, (sender) => {
    const turns = turnsOf(sender);
    const end = (): void => {
      counts.completed++;
      webhooks.send(turns.webhooks, { visits: webhook.job, done: () => counts.webhooks++ });
    };
    return () => {
      counts.sent++;
      if (images.turns.waiting + videos.turns.waiting >= assumed("mostQueued")) {
        counts.refused++;
        return;
      }
      const startedAtMs = events.nowMs;
      const isVideo = random() < assumed("videoShare");
      visitAll(photo.upload, () => {
        if (!isVideo) {
          const done = (): void => {
            waitsMs[sender.kind].push(Math.max(0, events.nowMs - startedAtMs - ownMs));
            end();
          };
          images.send(turns.images, { visits: photo.job, done });
          return;
        }
        let left = segmentsAVideo();
        const done = (): void => {
          if (--left === 0) end();
        };
        for (let number = left; number > 0; number--)
          videos.send(turns.videos, { visits: segment.job, done });
      });
      events.after(assumed("queueDelivery"), () => visitAll(photo.polls, () => undefined));
    };
  });
  events.run(hourMs);
  const utilization = {
    ...Object.fromEntries(
      [resources.database, resources.hostProcessors, resources.cards].map((station) => [
        station.name,
        station.utilization(hourMs),
      ]),
    ),
    "Consumers of photos": images.utilization(hourMs),
    "Consumers of videos": videos.utilization(hourMs),
    "Consumers of webhooks": webhooks.utilization(hourMs),
  };
  const unfinished = counts.sent - counts.refused - counts.completed;
  events.run(hourMs + drainMs);
  return { ...counts, unfinished, hosts, waitsMs, utilization };
}
