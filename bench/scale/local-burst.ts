import { Consumers } from "./consumers.ts";
import { EventQueue } from "./event-queue.ts";
import { assumed } from "./assumptions.ts";
import type { PhotoTimes } from "./measure-photos.ts";
import { Station } from "./station.ts";

/** The simulated queue of a local service gives its image Worker one permit at a time: `scripts/local/runtimes.ts`. */
const LOCAL_CONSUMERS = 1;

/**
 * Simulates a burst on the local service. Accounts take turns, and all photos are sent at once. Each photo takes as long as one of the
 * single photos that were measured on the idle service, in their order.
 *
 * @returns from the start of the burst to the end of each photo, in milliseconds
 */
export function simulateLocalBurst(
  singles: readonly PhotoTimes[],
  {
    photos,
    accounts,
    weight,
    mostAtOnce,
  }: { photos: number; accounts: number; weight: number; mostAtOnce: number },
): number[] {
  const events = new EventQueue();
  const api = new Station(events, "API", 1);
  const machine = new Station(events, "Machine", 1);
  const mean = (value: (times: PhotoTimes) => number): number =>
    singles.reduce((sum, times) => sum + value(times), 0) / singles.length;
  const consumers = new Consumers(events, {
    atOnce: LOCAL_CONSUMERS,
    deliveryMs: mean(({ deliveryMs }) => deliveryMs),
    claim: [{ station: machine, ms: mean(({ claimMs }) => claimMs) }],
    jobsAPermit: assumed("imagesAPermit"),
    permitMs: assumed("permit"),
  });
  const turns = Array.from({ length: accounts }, () => consumers.turns.join({ weight, mostAtOnce }));
  const endsMs: number[] = [];
  for (let photo = 0; photo < photos; photo++) {
    const times = singles[photo % singles.length];
    const turn = turns[photo % turns.length];
    if (times === undefined || turn === undefined) throw new Error("There is nothing to simulate.");
    api.visit(times.uploadMs, () => {
      consumers.send(turn, {
        visits: [{ station: machine, ms: times.workMs + times.completionMs }],
        done: () => endsMs.push(events.nowMs),
      });
    });
  }
  events.run();
  return endsMs;
}
