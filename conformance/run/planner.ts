/** Picks what is sent next: the best probes by rank that the budget can carry, interleaved in an order drawn by fast-check. */

import fc from 'fast-check';
import { type Probe, probesFor } from '../sections/probes.ts';
import type { Session } from './session.ts';

export interface Plan {
  /** In the order of sending. */
  readonly probes: readonly Probe[];
  /** What the budget does not carry, by rank. */
  readonly left: readonly Probe[];
}

export function shuffled<Item>(items: readonly Item[], seed: number): readonly Item[] {
  if (items.length < 2) return items;
  const whole = fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });
  return fc.sample(whole, { seed, numRuns: 1 })[0]!;
}

/** Probes of about one rank are interleaved, so that the best come first even where a run ends early. */
const inOneDraw = 40;

/** Probes that cover nothing that is wanted come last. */
const unwanted = 10_000;

export function planFor({ keys, settings, budget }: Session, count: number, only?: ReadonlySet<string>): Plan {
  const rankOf = ({ rank, covers }: Probe): number =>
    only === undefined || covers.some((id) => only.has(id)) ? rank : rank + unwanted;
  const ranked = probesFor(keys, settings).toSorted((one, other) => rankOf(one) - rankOf(other));
  let creationsLeft = budget.creationsLeft();
  const isAffordable = ({ id }: Probe): boolean => !id.startsWith('create ') || creationsLeft-- > 0;
  const affordable = ranked.filter(isAffordable);
  const chosen = affordable.slice(0, count);
  const draws = Array.from({ length: Math.ceil(chosen.length / inOneDraw) }, (_nothing, at) =>
    shuffled(chosen.slice(at * inOneDraw, (at + 1) * inOneDraw), settings.seed + at),
  );
  return { probes: draws.flat(), left: affordable.slice(count) };
}
