import { assumed } from "./assumptions.ts";
import type { EventQueue } from "./event-queue.ts";

/** An account that sends single media, or bursts of them. */
export interface Sender {
  readonly kind: "quiet" | "bursty";
}

/** When media arrive. */
export interface Arrivals {
  readonly random: () => number;
  /** Of all accounts together, on average. */
  readonly mediaASecond: number;
  readonly untilMs: number;
}

/**
 * Schedules the arrivals of all accounts: quiet ones send single media at random moments, bursty ones bursts whose sizes have a heavy
 * tail.
 *
 * @param join called once for each account; returns what each of its arrivals does
 */
export function scheduleArrivals(
  events: EventQueue,
  { random, mediaASecond, untilMs }: Arrivals,
  join: (sender: Sender) => () => void,
): void {
  const bursty = assumed("burstyAccounts");
  const quiet = assumed("accounts") - bursty;
  const quietASecond = (mediaASecond * (1 - assumed("burstyShare"))) / quiet;
  const burstyASecond = (mediaASecond * assumed("burstyShare")) / bursty;
  const sizes = burstSizes();
  for (let account = 0; account < quiet; account++) {
    const arrive = join({ kind: "quiet" });
    repeat(events, { random, meanMs: 1_000 / quietASecond, untilMs }, arrive);
  }
  for (let account = 0; account < bursty; account++) {
    const arrive = join({ kind: "bursty" });
    const meanMs = (1_000 * meanOfPareto(sizes)) / burstyASecond;
    repeat(events, { random, meanMs, untilMs }, () => {
      const size = Math.round(drawPareto(random, sizes));
      for (let photo = 0; photo < size; photo++) events.after(photo * assumed("burstInterval"), arrive);
    });
  }
}

/** The sizes of bursts, in photos. */
function burstSizes(): BoundedPareto {
  return { shape: assumed("burstShape"), least: assumed("smallestBurst"), most: assumed("largestBurst") };
}

/** Runs `act` at random moments: a Poisson process. */
function repeat(
  events: EventQueue,
  { random, meanMs, untilMs }: { random: () => number; meanMs: number; untilMs: number },
  act: () => void,
): void {
  const delayMs = drawExponential(random, meanMs);
  if (events.nowMs + delayMs > untilMs) return;
  events.after(delayMs, () => {
    act();
    repeat(events, { random, meanMs, untilMs }, act);
  });
}

/** A Pareto distribution that ends at `most`: the smaller `shape`, the heavier the tail. */
interface BoundedPareto {
  readonly shape: number;
  readonly least: number;
  readonly most: number;
}

/** Draws from an exponential distribution by the inverse of its distribution function. */
export function drawExponential(random: () => number, mean: number): number {
  return -mean * Math.log(1 - random());
}

/** Draws from a bounded Pareto distribution by the inverse of its distribution function. */
export function drawPareto(random: () => number, { shape, least, most }: BoundedPareto): number {
  const cut = 1 - (least / most) ** shape;
  return least * (1 - random() * cut) ** (-1 / shape);
}

/** The mean of a bounded Pareto distribution whose shape isn't 1 (Wikipedia, "Pareto distribution", bounded). */
export function meanOfPareto({ shape, least, most }: BoundedPareto): number {
  const cut = 1 - (least / most) ** shape;
  return ((least ** shape / cut) * shape * (least ** (1 - shape) - most ** (1 - shape))) / (shape - 1);
}
