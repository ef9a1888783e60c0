/** Narrows the variations with which a client fails down to the smallest set that still breaks it (delta debugging). */

import type { ClientRun } from './client-run.ts';
import type { Variation } from './service-variant.ts';

function partsOf(all: readonly Variation[], count: number): readonly (readonly Variation[])[] {
  const size = Math.ceil(all.length / count);
  return Array.from({ length: Math.ceil(all.length / size) }, (_nothing, at) => all.slice(at * size, (at + 1) * size));
}

type Run = (variations: readonly Variation[]) => Promise<ClientRun | undefined>;

/** The failing run with the fewest variations that was found; `run` resolves to undefined when no more runs are allowed. */
export async function narrow(failed: ClientRun, run: Run): Promise<ClientRun> {
  let smallest = failed;
  let count = 2;
  for (;;) {
    const { variations } = smallest.variant;
    if (variations.length < 2) return smallest;
    const parts = partsOf(variations, Math.min(count, variations.length));
    const rests = parts.map((part) => variations.filter((variation) => !part.includes(variation)));
    // Each of two parts is the rest of the other.
    const found = await firstFailure(parts.length === 2 ? parts : [...parts, ...rests], run);
    if (found === 'stopped') return smallest;
    if (found === undefined && count >= variations.length) return smallest;
    count = found === undefined ? count * 2 : 2;
    smallest = found ?? smallest;
  }
}

async function firstFailure(candidates: readonly (readonly Variation[])[], run: Run) {
  for (const candidate of candidates) {
    const made = await run(candidate);
    if (made === undefined) return 'stopped';
    if (!made.isPassed) return made;
  }
  return undefined;
}
