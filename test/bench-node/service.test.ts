import { expect, test } from "vitest";
import { ASSUMPTIONS } from "../../bench/scale/assumptions.ts";
import { simulateBusiestHour } from "../../bench/scale/busiest-hour.ts";
import { Consumers } from "../../bench/scale/consumers.ts";
import { countTransactions } from "../../bench/scale/measure-database.ts";
import { breaksAt, demands, hostsFor, peakASecond } from "../../bench/scale/demand.ts";
import { EventQueue } from "../../bench/scale/event-queue.ts";
import { FairTurns } from "../../bench/scale/fair-turns.ts";
import { simulateLocalBurst } from "../../bench/scale/local-burst.ts";
import { readServiceTimes } from "../../bench/scale/service-times.ts";
import { Station } from "../../bench/scale/station.ts";

const DATABASE = { writeMs: 5, readMs: 1, writesAPhoto: 12, bytesAPhoto: 8_000 };
const DAY_MS = 86_400_000;

test("every medium that is sent completes or is refused, and each that completed has one delivery", () => {
  const times = readServiceTimes(DATABASE);
  for (const mediaADay of [50_000, 700_000]) {
    const hour = simulateBusiestHour(times, { mediaADay, databases: 1, seed: 1, drainMs: DAY_MS });
    expect(hour.sent).toBeGreaterThan(10_000);
    expect(hour.completed + hour.refused).toBe(hour.sent);
    expect(hour.webhooks).toBe(hour.completed);
  }
});

test("a resource that is used up in the busiest hour is one whose demand is as large as its time", () => {
  const times = readServiceTimes(DATABASE);
  for (const demand of demands(times).filter(({ aSecond }) => aSecond !== undefined))
    expect(peakASecond(breaksAt(demand)) * demand.aMedium).toBeCloseTo(demand.aSecond ?? 0, 3);
  expect(hostsFor(times, 1_000)).toBe(1);
  expect(hostsFor(times, 2_000_000)).toBeGreaterThan(hostsFor(times, 1_000_000));
});

test("accounts take turns by their weights, and none runs more at once than it may", () => {
  const turns = new FairTurns<string>();
  const [light, heavy] = [
    turns.join({ weight: 1, mostAtOnce: 2 }),
    turns.join({ weight: 2, mostAtOnce: 100 }),
  ];
  for (let job = 0; job < 30; job++) {
    turns.add(light, "light");
    turns.add(heavy, "heavy");
  }
  const owners = Array.from({ length: 6 }, () => turns.claim()?.job);
  expect(owners.filter((owner) => owner === "light")).toHaveLength(2);
  // The light one runs as many as it may.
  expect(Array.from({ length: 5 }, () => turns.claim()?.job)).toEqual(Array(5).fill("heavy"));
  turns.end(light);
  expect(turns.claim()?.job).toBe("light");
});

test("consumers run all jobs, never more at once than there are consumers", () => {
  const events = new EventQueue();
  const work = new Station(events, "work", Number.POSITIVE_INFINITY);
  const claim = [{ station: work, ms: 1 }];
  const options = { atOnce: 3, deliveryMs: 5, claim, jobsAPermit: 2, permitMs: 15_000 };
  const consumers = new Consumers(events, options);
  const turn = consumers.turns.join({ weight: 1, mostAtOnce: 100 });
  let done = 0;
  for (let job = 0; job < 30; job++)
    consumers.send(turn, { visits: [{ station: work, ms: 99 }], done: () => done++ });
  events.run();
  expect(done).toBe(30);
  expect(events.nowMs).toBeGreaterThanOrEqual(1_000);
  expect(events.nowMs).toBeLessThan(1_200);
  expect(consumers.utilization(events.nowMs)).toBeLessThanOrEqual(1);
});

test("a local burst ends after the work of all its photos, and half of it is done halfway", () => {
  const single = { uploadMs: 10, deliveryMs: 5, claimMs: 5, workMs: 90, completionMs: 5, totalMs: 115 };
  const ends = simulateLocalBurst([single], { photos: 40, accounts: 3, weight: 8, mostAtOnce: 16 });
  expect(ends).toHaveLength(40);
  const totalMs = Math.max(...ends);
  expect(totalMs).toBeGreaterThanOrEqual(4_000);
  expect(totalMs).toBeLessThan(4_200);
  expect(Math.abs((ends[19] ?? 0) - totalMs / 2)).toBeLessThan(150);
});

test("the frames of a write-ahead log that end a transaction are counted, and those of an older log are not", () => {
  const pageBytes = 512;
  const salt = Buffer.from("saltsalt");
  const frame = (databasePages: number, of: Buffer): Buffer => {
    const header = Buffer.alloc(24);
    header.writeUInt32BE(databasePages, 4);
    of.copy(header, 8);
    return Buffer.concat([header, Buffer.alloc(pageBytes)]);
  };
  const start = Buffer.alloc(32);
  salt.copy(start, 16);
  const frames = [frame(0, salt), frame(9, salt), frame(9, salt), frame(9, Buffer.from("earlier."))];
  expect(countTransactions(Buffer.concat([start, ...frames]), pageBytes)).toBe(2);
  expect(countTransactions(Buffer.alloc(0), pageBytes)).toBe(0);
});

test("every assumption states its source", () => {
  for (const { value, unit, source } of Object.values(ASSUMPTIONS)) {
    expect(value).toBeGreaterThan(0);
    expect(unit).not.toBe("");
    expect(source).toMatch(/^(https:\/\/|docs\/|src\/|Chosen|The question|A claim)/);
  }
});
