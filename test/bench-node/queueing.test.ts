import { describe, expect, test } from "vitest";
import { randomNumbers } from "../../bench/lib/random-numbers.ts";
import { EventQueue } from "../../bench/scale/event-queue.ts";
import { drawExponential, drawPareto, meanOfPareto } from "../../bench/scale/arrivals.ts";
import { Station } from "../../bench/scale/station.ts";

const SERVICE_MS = 10;

/** The mean wait at one server, in milliseconds, when customers come at random, and the server's utilization. */
function simulate(customers: number, load: number, service: () => number) {
  const events = new EventQueue();
  const random = randomNumbers(7);
  const station = new Station(events, "server", 1);
  let waitedMs = 0;
  let served = 0;
  const arrive = (left: number): void => {
    const startedAtMs = events.nowMs;
    const ms = service();
    station.visit(ms, () => {
      waitedMs += events.nowMs - startedAtMs - ms;
      served++;
    });
    if (left > 1) events.after(drawExponential(random, SERVICE_MS / load), () => arrive(left - 1));
  };
  arrive(customers);
  events.run();
  return { served, meanWaitMs: waitedMs / served, utilization: station.utilization(events.nowMs) };
}

describe("the event queue", () => {
  test("runs events in the order of their times, and equal times in the order of scheduling", () => {
    const events = new EventQueue();
    const random = randomNumbers(1);
    const seen: [number, number][] = [];
    for (let number = 0; number < 1_000; number++) {
      const atMs = Math.floor(random() * 50);
      events.after(atMs, () => seen.push([atMs, number]));
    }
    events.run();
    expect(seen).toHaveLength(1_000);
    expect(seen).toEqual([...seen].sort(([a, first], [b, second]) => a - b || first - second));
    expect(events.nowMs).toBe(seen.at(-1)?.[0]);
  });

  test("stops before events that are due later", () => {
    const events = new EventQueue();
    const seen: number[] = [];
    for (const atMs of [30, 10, 20]) events.after(atMs, () => seen.push(atMs));
    events.run(20);
    expect(seen).toEqual([10, 20]);
    events.run();
    expect(seen).toEqual([10, 20, 30]);
  });
});

describe("a station of one server waits as the formulas say", () => {
  for (const load of [0.5, 0.8]) {
    test(`exponential service (M/M/1), ${load} used`, () => {
      const random = randomNumbers(11);
      const { served, meanWaitMs, utilization } = simulate(300_000, load, () =>
        drawExponential(random, SERVICE_MS),
      );
      expect(served).toBe(300_000);
      expect(utilization).toBeCloseTo(load, 1);
      expect(meanWaitMs / ((SERVICE_MS * load) / (1 - load))).toBeCloseTo(1, 1);
    });

    test(`constant service (M/D/1), ${load} used`, () => {
      const { meanWaitMs } = simulate(300_000, load, () => SERVICE_MS);
      expect(meanWaitMs / ((SERVICE_MS * load) / (2 * (1 - load)))).toBeCloseTo(1, 1);
    });
  }
});

test("the heavy tail has the mean of its formula, and stays within its bounds", () => {
  const sizes = { shape: 1.2, least: 10, most: 5_000 };
  const random = randomNumbers(3);
  const drawn = Array.from({ length: 400_000 }, () => drawPareto(random, sizes));
  const mean = drawn.reduce((sum, size) => sum + size, 0) / drawn.length;
  expect(mean / meanOfPareto(sizes)).toBeCloseTo(1, 1);
  expect(drawn.every((size) => size >= sizes.least && size <= sizes.most)).toBe(true);
  const largest = drawn.sort((a, b) => b - a).slice(0, drawn.length / 100);
  expect(largest.reduce((sum, size) => sum + size, 0) / (mean * drawn.length)).toBeGreaterThan(0.15);
});
