/** Narrows a world in which a client fails down to the answers that break it (delta debugging). */

import type { ClientRun } from './client-run.ts';
import { type ServiceVariant, type Variation, variantWith } from './service-variant.ts';

function partsOf(turns: readonly Variation[], count: number): readonly (readonly Variation[])[] {
  const size = Math.ceil(turns.length / count);
  return Array.from({ length: count }, (_nothing, at) => turns.slice(at * size, (at + 1) * size)).filter(
    (part) => part.length > 0,
  );
}

/** The visit to the smallest world found in which the client fails; `go` visits one. */
export async function narrow(
  failed: ClientRun,
  go: (world: ServiceVariant) => Promise<ClientRun>,
  signal: AbortSignal,
): Promise<ClientRun> {
  let smallest = failed;
  let count = 2;
  while (smallest.variant.variations.length > 1 && !signal.aborted) {
    const { variations: turns } = smallest.variant;
    const parts = partsOf(turns, Math.min(count, turns.length));
    const rests = parts.map((part) => turns.filter((turn) => !part.includes(turn)));
    // Of two parts each is the rest of the other.
    const candidates = parts.length === 2 ? parts : [...parts, ...rests];
    const found = await firstThatFails(candidates.map(variantWith), go, signal);
    if (found !== undefined) {
      smallest = found;
      count = 2;
    } else if (count >= turns.length) {
      return smallest;
    } else {
      count *= 2;
    }
  }
  return smallest;
}

async function firstThatFails(
  worlds: readonly ServiceVariant[],
  go: (world: ServiceVariant) => Promise<ClientRun>,
  signal: AbortSignal,
): Promise<ClientRun | undefined> {
  for (const world of worlds) {
    if (signal.aborted) return undefined;
    const visit = await go(world);
    if (!visit.isPassed && !signal.aborted) return visit;
  }
  return undefined;
}
