import { env } from "cloudflare:workers";
import { faultyBindings } from "../../support/faulty-bindings.ts";

const MOST_KILLS_IN_A_ROW = 3;
const LATEST_CALL = 40;

/** The number of kills so far, and of deliveries. */
export interface Kills {
  made: number;
  readonly most: number;
}

/** For `runToEnd`: kills the worker at a random storage call, in at most three deliveries in a row. */
export function killsAtRandom(
  kills: Kills,
  random: () => number,
): (delivery: number, bindings: object) => object {
  let inARow = 0;
  return (_delivery, bindings) => {
    if (kills.made >= kills.most || inARow >= MOST_KILLS_IN_A_ROW) {
      inARow = 0;
      return bindings;
    }
    const from = 1 + Math.floor(random() * LATEST_CALL);
    const plan = (call: number): Error | undefined => {
      if (call === from) [kills.made, inARow] = [kills.made + 1, inARow + 1];
      return call >= from ? new Error("The worker was killed.") : undefined;
    };
    return faultyBindings({ ...env, ...bindings }, plan, random() < 0.5 ? "before" : "after").bindings;
  };
}
